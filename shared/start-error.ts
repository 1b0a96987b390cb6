/**
 * The error if something cannot start for a reason that its user can fix; the message says in one line what is wrong
 * and where.
 */
export class StartError extends Error {}
