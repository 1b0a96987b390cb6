/**
 * The maximum size, in bytes, of a message that a link accepts. A larger message closes the link with code 1009. The
 * reference in a request may fill the 100 kB of its body (B119), and the terminal's answer contains it four times,
 * three of these percent-encoded.
 */
export const largestFrame = 2 * 1024 * 1024;
