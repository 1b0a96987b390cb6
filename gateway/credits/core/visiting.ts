import {
  type CreditFacts,
  type EndedCredit,
  type InitiatedCredit,
  type Input,
  makeStep,
  makeVisitJournalEffect,
  type Step,
  stateOf,
} from './step.ts';

type InputOf<Name> = Extract<Input, { is: Name }>;

/** After this many wrong answers a link is locked (B100). */
const mostAnswers = 3;

/**
 * Counts an answer as wrong before the answer is checked. A right answer sets the number of wrong answers back to 0.
 * The last allowed answer locks the link, until the check shows that the answer is right.
 */
export function countAnswerAsWrong(
  state: InitiatedCredit,
  _: unknown,
  { now, lockedUntil, lockMs }: CreditFacts,
): Step {
  if (lockedUntil !== undefined) return makeStep(state, { refused: { is: 'locked', until: lockedUntil } });
  const { credit } = state;
  const afterLock = credit.locked_until !== null;
  const wrong_answers = (afterLock ? 0 : credit.wrong_answers) + 1;
  const set = { wrong_answers, locked_until: wrong_answers < mostAnswers ? null : now + lockMs };
  const where = { id: credit.id, wrong_answers: credit.wrong_answers };
  return makeStep(stateOf({ ...credit, ...set }), { records: [{ update: 'credits', where, set }] });
}

/** Gives the number of wrong answers that a customer may still give before the link is locked. */
export function countTriesLeft(wrongAnswers: number): number {
  return mostAnswers - wrongAnswers;
}

/**
 * Begins the visit of a browser that gave the right answer. The number of wrong answers goes back to 0, so customers
 * in other browsers can answer again, too.
 */
export function beginVisit(state: InitiatedCredit, { visit }: InputOf<'answeredRight'>): Step {
  const unlocked = unlockLink(state);
  return { ...unlocked, records: [...unlocked.records, { insert: 'credit_visits', row: visit }] };
}

/**
 * Unlocks the link after the right answer. The link is unlocked even if it was used up during the check of the answer.
 */
export function unlockLink({ credit }: InitiatedCredit | EndedCredit): Step {
  const { id } = credit;
  const set = { wrong_answers: 0, locked_until: null };
  return makeStep(stateOf({ ...credit, ...set }), {
    records: [{ update: 'credits', where: { id }, set }],
    effects: [makeVisitJournalEffect(id, 'the right answer')],
  });
}

/** Stores the last digits of the bank account, or removes them. */
export function setBankAccount(state: InitiatedCredit, input: InputOf<'bankNamed'>): Step {
  const { visitId, bank } = input;
  const set = {
    bank_kind: bank?.kind ?? null,
    bank_masked: bank?.masked ?? null,
    bank_refuses: bank?.refuses ? 1 : 0,
  };
  const record = { update: 'credit_visits', where: { id: visitId }, set, rows: 'any' } as const;
  return { ...ignoreLateBankAccount(state, input), records: [record] };
}

/**
 * Stores nothing, because the link has been used up since the page was opened. The visit was deleted when the link was
 * used up.
 */
export function ignoreLateBankAccount(
  state: InitiatedCredit | EndedCredit,
  { bank }: InputOf<'bankNamed'>,
): Step {
  return makeStep(state, {
    effects: bank ? [makeVisitJournalEffect(state.credit.id, 'bank details entered')] : [],
  });
}
