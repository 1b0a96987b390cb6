/** The characters that a token may have, wherever it comes from, because a client sends it in a header. */
export const tokenPattern = /^[\x21-\x7e]*$/;

export const tokenPatternMessage = 'must consist of visible ASCII characters, without spaces or line breaks';
