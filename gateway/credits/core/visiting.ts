import {
  type EndedCredit,
  type Facts,
  type InitiatedCredit,
  type Input,
  type Step,
  stateOf,
  step,
  visited,
} from './step.ts';

type InputOf<Name> = Extract<Input, { is: Name }>;

/** So many wrong answers lock a link (B100). */
const mostAnswers = 3;

/** A try counts as a wrong one until it turns out right; the last one locks the link. */
export function countTry(state: InitiatedCredit, _: unknown, { now, lockedUntil, lockMs }: Facts): Step {
  if (lockedUntil !== undefined) return step(state, { refused: { is: 'locked', until: lockedUntil } });
  const { credit } = state;
  const afterLock = credit.locked_until !== null;
  const wrong_answers = (afterLock ? 0 : credit.wrong_answers) + 1;
  const set = { wrong_answers, locked_until: wrong_answers < mostAnswers ? null : now + lockMs };
  const where = { id: credit.id, wrong_answers: credit.wrong_answers };
  return step(stateOf({ ...credit, ...set }), { records: [{ update: 'credits', where, set }] });
}

/** How many more wrong answers a link takes. */
export function triesLeft(wrongAnswers: number): number {
  return mostAnswers - wrongAnswers;
}

/** The browser with the right answer is let in, and all others have their tries again. */
export function letIn(state: InitiatedCredit, { visit }: InputOf<'answeredRight'>): Step {
  const unlocked = unlock(state);
  return { ...unlocked, records: [...unlocked.records, { insert: 'credit_visits', row: visit }] };
}

/** The answer was the right one, though the link was used up while it was looked at. */
export function unlock({ credit }: InitiatedCredit | EndedCredit): Step {
  const { id } = credit;
  const set = { wrong_answers: 0, locked_until: null };
  return step(stateOf({ ...credit, ...set }), {
    records: [{ update: 'credits', where: { id }, set }],
    effects: [visited(id, 'the right answer')],
  });
}

/** The end of the bank account is kept, or forgotten. */
export function nameBank(state: InitiatedCredit, input: InputOf<'bankNamed'>): Step {
  const { visitId, bank } = input;
  const set = {
    bank_kind: bank?.kind ?? null,
    bank_masked: bank?.masked ?? null,
    bank_refuses: bank?.refuses ? 1 : 0,
  };
  const record = { update: 'credit_visits', where: { id: visitId }, set, rows: 'any' } as const;
  return { ...nameTooLate(state, input), records: [record] };
}

/** The visit went with the link, which was used up meanwhile. */
export function nameTooLate(state: InitiatedCredit | EndedCredit, { bank }: InputOf<'bankNamed'>): Step {
  return step(state, { effects: bank ? [visited(state.credit.id, 'bank details entered')] : [] });
}
