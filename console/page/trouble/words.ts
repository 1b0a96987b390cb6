import type { AmountEnding, Fault, Outcome } from '../../../client/openapi-types.ts';
import { refusalWords } from '../../../shared/refusal-words.ts';

export type Refusal = Omit<AmountEnding, 'ending'>;

export const faultNames = {
  dropAnswer: 'The answer is lost',
  dropRequest: 'The request is lost',
  delayAnswer: 'The answer is late',
  failAnswer: 'The answer is an error',
  delayRequest: 'The request comes late, its connection is cut',
  duplicateRequest: 'The request comes twice',
  failRequest: 'The request is refused with an error',
  truncateAnswer: 'The answer is cut short',
  slowAnswer: 'The answer comes slowly',
  cutAnswer: 'The connection is cut before the answer',
  holdAnswer: 'The answer is held, and time with it',
} as const;
export type FaultName = keyof typeof faultNames;

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

export function faultText(set: Fault): string {
  const { method, path, accountId, times } = set;
  const name = faultNames[set.fault];
  const what =
    set.fault === 'delayAnswer' || set.fault === 'delayRequest'
      ? `${name} by ${set.delayMs / 1000} s`
      : set.fault === 'failAnswer' || set.fault === 'failRequest'
        ? `${name}: ${set.status}`
        : name;
  const which = [method, path].filter(Boolean).join(' ') || 'any request';
  const whose = accountId === undefined ? '' : ` of ${accountId}`;
  const howOften = times === null ? 'until you undo it' : times === 1 ? 'once' : `${times} times`;
  const first = set.after > 0 ? `after ${set.after} more, ` : '';
  return `${what} (${which}${whose}), ${first}${howOften}`;
}
