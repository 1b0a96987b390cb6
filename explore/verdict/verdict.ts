/** The possible failures of a run, the gravest first. If a run has several, its verdict is the first. */
export const failureKinds = [
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
export type FailureKind = (typeof failureKinds)[number];

/**
 * The verdict about the customer's money and the shop's beliefs. `testFails` means that the money is right, but the
 * command failed, because the fault changed the outcome.
 */
export interface Verdict {
  readonly is: 'survived' | 'testFails' | FailureKind;
  /** The verdict in one sentence. */
  readonly says: string;
}

export function isFailure({ is }: Verdict): boolean {
  return is !== 'survived' && is !== 'testFails';
}
