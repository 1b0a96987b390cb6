/** What the acquirer's host is set to do (docs/outcomes.md). */
export type Outcome =
  | { readonly type: 'approve' | 'wrongPin' | 'silent' }
  | { readonly type: 'late'; readonly delayMs: number }
  | ({ readonly type: 'decline' } & Refusal);

export interface Refusal {
  readonly errorCondition: string;
  readonly refusalReason: string;
  readonly message: string;
}

export interface SetOutcome {
  readonly scope: 'payment' | 'terminal';
  readonly subject: string;
  readonly mode: 'once' | 'always';
  readonly outcome: Outcome;
}

/** The rules that choose the host's answers. */
export interface OutcomeRules {
  readonly order: readonly string[];
  readonly amountEndings: readonly (Refusal & { readonly ending: string })[];
  readonly set: readonly SetOutcome[];
}

export const faultNames = {
  dropAnswer: 'The answer is lost',
  dropRequest: 'The request is lost',
  delayAnswer: 'The answer is late',
  failAnswer: 'The answer is an error',
} as const;
export type FaultName = keyof typeof faultNames;

/** Moments between the approval and its answer at which the power can go (docs/control-api.md). */
export const cutMoments = {
  resultStored: 'once the approval is noted, before it is sent,',
  approvalReceived: 'once the host has approved, before that is noted,',
} as const;
export type CutMoment = keyof typeof cutMoments;

/** What meets the requests of a point of sale. */
export interface Fault {
  readonly id: string;
  readonly fault: FaultName;
  readonly method?: string;
  readonly path?: string;
  readonly accountId?: string;
  readonly times: number | null;
  readonly delayMs?: number;
  readonly status?: number;
}

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
      return `declined: ${outcome.refusalReason}`;
  }
}

export function faultText({ fault, delayMs = 0, status, method, path, accountId, times }: Fault): string {
  const what =
    fault === 'delayAnswer'
      ? `${faultNames[fault]} by ${delayMs / 1000} s`
      : fault === 'failAnswer'
        ? `${faultNames[fault]}: ${status}`
        : faultNames[fault];
  const which = [method, path].filter(Boolean).join(' ') || 'any request';
  const whose = accountId === undefined ? '' : ` of ${accountId}`;
  const howOften = times === null ? 'until taken back' : times === 1 ? 'once' : `${times} times`;
  return `${what} (${which}${whose}), ${howOften}`;
}
