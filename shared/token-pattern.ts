/**
 * Matches the tokens that can be sent in a header. Clients send their tokens in a header, so every token has to match.
 */
export const tokenPattern = /^[\x21-\x7e]*$/;

export const tokenPatternMessage = 'must consist of visible ASCII characters, without spaces or line breaks';
