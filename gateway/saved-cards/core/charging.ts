import {
  bookAuthorization,
  bookCapture,
  bookRelease,
  toDebitEntryInMemory,
} from '../../acquirer/debit-ledger.ts';
import { makeLedgerEntryInsertion } from '../../acquirer/entries.ts';
import type { LedgerRow } from '../../store/rows/acquirer.ts';
import type { DebitRow, SavedCardRow } from '../../store/rows/saved-cards.ts';
import { answerAuthorization, answerCapture } from '../issuer.ts';
import {
  type DebitFacts,
  type DebitInput,
  type ExistingDebit,
  makeDebitLedgerSubject,
  makeStep,
  type Step,
} from './step.ts';

type InputOf<Name> = Extract<DebitInput, { is: Name }>;
type Held = ExistingDebit<'preauthorized'>;

/**
 * The capture of a charge always succeeds. A test card that fails at the capture does so only after a preauthorization
 * (B80).
 */
const capturedAtOnce = { rule: 'charge', why: 'a charge is captured with its authorization' };

/** Charges a card. The issuer either approves and pays out at once, or refuses (B76). */
export function charge(_: unknown, { debit, card }: InputOf<'chargeOrdered'>, facts: DebitFacts): Step {
  const { authorized, refusal, why } = authorize(debit, card, facts);
  if (refusal) return begun({ ...debit, why, ...failed(refusal, facts) }, [authorized]);
  const captured = bookCapture([authorized], makeDebitLedgerSubject(debit), capturedAtOnce, facts);
  const paid = { ...debit, why, state: 'paid', captured_at: debit.created_at } as const;
  return begun(paid, [authorized, ...captured]);
}

/** Preauthorizes an amount. The issuer either refuses, or holds the amount until the amount is captured or released. */
export function hold(_: unknown, { debit, card }: InputOf<'holdOrdered'>, facts: DebitFacts): Step {
  const { authorized, refusal, why } = authorize(debit, card, facts);
  if (refusal) return begun({ ...debit, why, ...failed(refusal, facts) }, [authorized]);
  const expires_at = debit.created_at + facts.timeouts.authorizationMs;
  const held = { ...debit, why, expires_at };
  return { ...begun(held, [authorized]), effects: [{ do: 'awaitExpiry', debit: held }] };
}

/**
 * Captures a preauthorization. The issuer either pays out the amount that it holds, or refuses and releases the amount.
 */
export function capture(state: Held, _: unknown, facts: DebitFacts): Step {
  const { debit, entries: former } = state.stored;
  const answer = answerCapture(facts.card as SavedCardRow);
  const entries = bookCapture(former, makeDebitLedgerSubject(debit), answer, facts);
  if (answer.refusal) return ended(state, { why: answer.why, ...failed(answer.refusal, facts) }, entries);
  return ended(state, { state: 'paid', why: 'it was captured', captured_at: facts.now }, entries);
}

/** Makes the transition that releases the amount of a preauthorization. */
export function makeReleaseTransition(why: string) {
  return (state: Held, _: unknown, facts: DebitFacts): Step => {
    const { debit, entries } = state.stored;
    const released = bookRelease(entries, makeDebitLedgerSubject(debit), why, facts);
    return ended(state, { state: 'voided', why, ended_at: facts.now }, [released]);
  };
}

function authorize(debit: DebitRow, card: SavedCardRow, facts: DebitFacts) {
  const answer = answerAuthorization(card, facts.now);
  const authorized = bookAuthorization(
    [],
    makeDebitLedgerSubject(debit),
    debit.amount + debit.surcharge,
    answer,
    facts,
  );
  return { authorized, ...answer };
}

function failed({ declineCode }: { declineCode: string }, { now }: DebitFacts) {
  return { state: 'failed', decline_code: declineCode, ended_at: now } as const;
}

function begun(debit: DebitRow, entries: readonly LedgerRow[]): Step {
  return {
    stored: { debit, entries: entries.map(toDebitEntryInMemory), refunds: [], limit: undefined },
    entries,
    records: [...entries.map(makeLedgerEntryInsertion), { insert: 'debits', row: debit }],
    effects: [],
    told: 'debit',
  };
}

/** Ends a preauthorization. */
function ended({ stored }: Held, set: Partial<DebitRow>, entries: readonly LedgerRow[]): Step {
  const { id, state } = stored.debit;
  const change = { update: 'debits', where: { id, state }, set } as const;
  return makeStep({ ...stored, debit: { ...stored.debit, ...set } }, change, entries, {
    effects: [{ do: 'forgetExpiry', debitId: id }],
    told: 'debit',
  });
}
