import type { CreditRow, CreditState } from '../../store/rows/credits.ts';
import { type CreditFacts, type InitiatedCredit, type Input, makeStep, type Step, stateOf } from './step.ts';

type InputOf<Name> = Extract<Input, { is: Name }>;

/** The changes that end a credit. */
type End = Partial<CreditRow> & { state: Exclude<CreditState, 'initiated'>; why: string };

/**
 * Pays the money to the customer's bank account, or fails the credit if the bank refuses. In both cases the link is
 * used up.
 */
export function payOutOrFail(
  state: InitiatedCredit,
  { to }: InputOf<'accepted'>,
  { now }: CreditFacts,
): Step {
  const bank = { bank_kind: to.kind, bank_masked: to.masked };
  const refusal =
    state.credit.refusal ??
    (to.refuses ? "the customer's account is a test account that refuses payments" : null);
  const end: End =
    refusal === null
      ? { ...bank, state: 'completed', why: 'the customer accepted the payment' }
      : { ...bank, state: 'failed', why: `the bank refused: ${refusal}` };
  return endedEarly(state, end, now);
}

export function expireOnTestRequest(state: InitiatedCredit, _: unknown, { now }: CreditFacts): Step {
  return endedEarly(state, { state: 'expired', why: 'expired by a test' }, now);
}

export function expire(state: InitiatedCredit, _: unknown, { now }: CreditFacts): Step {
  return ending(state, { state: 'expired', why: 'the link was not used in time' }, now);
}

/** Stores that the bank will refuse the money when the customer accepts the credit. */
export function planBankRefusal({ credit }: InitiatedCredit, { reason }: InputOf<'refusalSet'>): Step {
  const set = { refusal: reason };
  const where = { id: credit.id, state: credit.state };
  return makeStep(stateOf({ ...credit, ...set }), { records: [{ update: 'credits', where, set }] });
}

function endedEarly(state: InitiatedCredit, end: End, now: number): Step {
  const effects = [{ do: 'forgetExpiry', creditId: state.credit.id } as const];
  return { ...ending(state, end, now), effects };
}

/** Ends a credit, and all visits of the credit's link. */
function ending({ credit }: InitiatedCredit, end: End, now: number): Step {
  const { id, state } = credit;
  const set = { ...end, ended_at: now };
  return makeStep(stateOf({ ...credit, ...set }), {
    records: [
      { update: 'credits', where: { id, state }, set },
      { delete: 'credit_visits', where: { credit_id: id }, rows: 'any' },
    ],
    told: true,
  });
}
