/**
 * The largest message a link takes, in bytes; larger ones close it with 1009. A request's reference may fill the 100 kB
 * of its body (B119); in the terminal's answer it stands four times, three of them percent-encoded.
 */
export const largestFrame = 2 * 1024 * 1024;
