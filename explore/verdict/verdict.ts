/** What can be wrong at the end of a run, the gravest first: a run is judged by the first of them. */
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
 * What became of the customer's money and of what the shop believes. `testFails`: the command failed, and the money is right,
 * because the outcome is not the one without the fault.
 */
export interface Verdict {
  readonly is: 'survived' | 'testFails' | Failure;
  /** One sentence. */
  readonly says: string;
}

export function isFailure({ is }: Verdict): boolean {
  return is !== 'survived' && is !== 'testFails';
}
