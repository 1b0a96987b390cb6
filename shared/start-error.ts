/**
 * The error of a start that failed for a reason that the user can fix. The message says in one line what is wrong and
 * where.
 *
 * @example
 * await expect(attachPinpad({ url: 'http://127.0.0.1:1', controlToken: 'c' })).rejects.toThrow(StartError);
 *
 */
export class StartError extends Error {}
