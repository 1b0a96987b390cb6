/**
 * Thrown if a start fails and the user can fix the reason. The message says in one line what is wrong and where.
 *
 * @example
 * await expect(attachPinpad({ url: 'http://127.0.0.1:1', controlToken: 'c' })).rejects.toThrow(StartError);
 */
export class StartError extends Error {}
