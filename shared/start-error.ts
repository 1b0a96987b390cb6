/** Something cannot start, for a reason its user can mend; the message is one line that says what and where. */
export class StartError extends Error {}
