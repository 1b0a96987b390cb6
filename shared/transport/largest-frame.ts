/**
 * The maximum size, in bytes, of a message that a link accepts. A larger message closes the link with code 1009. A
 * reference can fill the whole body of a request, which is 100 kB (B119). The terminal's answer contains the reference
 * four times, and three of the four are percent-encoded.
 */
export const largestFrameBytes = 2 * 1024 * 1024;
