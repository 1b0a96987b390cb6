/**
 * The largest message that a link accepts, in bytes; a larger one closes the link with 1009. A request's reference may
 * fill the 100 kB of its body (B119); the terminal's answer contains it four times, three of them percent-encoded.
 */
export const largestFrame = 2 * 1024 * 1024;
