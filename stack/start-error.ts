/** Why something cannot start, in words for the person who started it; the command prints only the message. */
export class StartError extends Error {}
