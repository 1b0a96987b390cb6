/** The possible failures at the end of a run, the gravest first. A run is judged by the first that it has. */
export const failures = [
  'chargedTwice',
  'paidBelievedUnpaid',
  'believedPaidUnpaid',
  'refundedTwice',
  'wrongTimes',
  'paidNeverLearnt',
  'leftUnknown',
  'commandFailed',
  'hangs',
  'didNotSettle',
] as const;
export type Failure = (typeof failures)[number];

/**
 * The verdict about the customer's money and the shop's beliefs. `testFails` says that the command failed although the money is
 * right, because the outcome is not the one without the fault.
 */
export interface Verdict {
  readonly is: 'survived' | 'testFails' | Failure;
  /** One sentence. */
  readonly says: string;
}

export function isFailure({ is }: Verdict): boolean {
  return is !== 'survived' && is !== 'testFails';
}
