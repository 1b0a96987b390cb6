import type { AmountEnding, Outcome } from '../../../client/openapi-types.ts';
import { refusalWords } from '../../../shared/refusal-words.ts';

export type Refusal = Omit<AmountEnding, 'ending'>;

/** Moments between the approval and its answer at which the power can go (docs/control-api.md). */
export const cutMoments = {
  resultStored: 'once the approval is noted, before it is sent,',
  approvalReceived: 'once the host has approved, before that is noted,',
} as const;
export type CutMoment = keyof typeof cutMoments;

export function outcomeText(outcome: Outcome): string {
  switch (outcome.type) {
    case 'approve':
      return 'approved, whatever the card and the amount';
    case 'wrongPin':
      return 'every PIN is wrong';
    case 'silent':
      return 'the host never answers';
    case 'late':
      return `the host answers ${outcome.delayMs / 1000} s later`;
    case 'decline':
      return `declined: ${refusalWords(outcome.refusalReason)}`;
  }
}
