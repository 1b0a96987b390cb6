import type { AmountEnding, MomentPlan, Outcome } from '../../../client/openapi-types.ts';
import { describeRefusalReason } from '../../../shared/refusal-words.ts';

/** The refusal that the acquirer gives for all amounts with a certain ending. */
export type AmountEndingRefusal = Omit<AmountEnding, 'ending'>;

/** The texts of the actions that a user of this page can plan for a moment of a payment. */
export const momentActionTexts = {
  powerOff: 'the terminal loses its power',
  networkOff: 'the terminal loses its network',
  cutConnection: 'the connection of the POS breaks',
} as const;

/** Describes a plan, such as `the gateway crashes at after.settled, at the next payment there, after 3 payments`. */
export function momentPlanText({ moment, action, times, after = 0 }: MomentPlan): string {
  const what = { ...momentActionTexts, crash: 'the gateway crashes', pause: 'everything pauses' }[action];
  const next = times === 1 ? 'at the next payment' : `at the next ${times} payments`;
  const often = times === null ? 'at every payment, until you undo it' : `${next} there`;
  return `${what} at ${moment}, ${often}${after > 0 ? `, after ${after} payments` : ''}`;
}

export function activeOutcomeText(outcome: Outcome): string {
  switch (outcome.type) {
    case 'approve':
      return 'every card and amount is approved';
    case 'wrongPin':
      return 'every PIN is wrong';
    case 'silent':
      return 'the host never answers';
    case 'late':
      return `the host answers ${outcome.delayMs / 1000} s later`;
    case 'decline':
      return `declined: ${describeRefusalReason(outcome.refusalReason)}`;
  }
}

/** The texts for how often a fault happens. */
export const occurrenceTexts: Readonly<Record<string, string>> = {
  1: 'once',
  2: 'twice',
  3: '3 times',
  all: 'until you undo it',
};
