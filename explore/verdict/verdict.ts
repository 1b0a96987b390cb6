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
 * The verdict about the customer's money and the shop's beliefs. `testFails` means that the command failed although the
 * money is right. This happens if the fault changed the outcome, for example to a decline.
 */
export interface Verdict {
  readonly is: 'survived' | 'testFails' | FailureKind;
  /** The verdict in one sentence. */
  readonly says: string;
}

export function isFailure({ is }: Verdict): boolean {
  return is !== 'survived' && is !== 'testFails';
}
