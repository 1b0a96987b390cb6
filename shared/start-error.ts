/** Something cannot start, for a reason its user can fix; the message says what and where in one line. */
export class StartError extends Error {}
