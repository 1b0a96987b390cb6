import { delay, systemClock } from '../../shared/clock.ts';
import { type Books, callControl, type LedgerEntry } from './control.ts';
import { sumOf } from './giving-back.ts';
import { httpRequest } from './http-request.ts';
import type { Outcome, PosPayment, PosRequestKind, Reversal, UnderstoodAnswer } from './pos-api.ts';
import { findStored } from './stored.ts';
import type { World } from './world.ts';

/** A rule that was violated. */
export interface Violation {
  rule: string;
  /** The payments, debits, refunds, credits and events that violate it. */
  ids?: string[];
  detail: string;
}

/**
 * The violations that a check found, and how many payments had to be reversed. A trial in which no payment had to be
 * reversed proves little.
 */
export interface PaymentFindings {
  violations: Violation[];
  reversed: number;
}

/**
 * Waits until no payment is open any more and the two ledgers agree, then checks every payment against the rules.
 * @param earlier payments of earlier rounds, whose keys must still be answered
 */
export async function checkPayments(
  world: World,
  payments: PosPayment[],
  earlier: PosPayment[],
): Promise<PaymentFindings> {
  const unsettled = await settle(world);
  await findStored(world, payments);
  const ofEach = await inParallel([...payments, ...earlier], 8, (payment) => checkPayment(world, payment));
  return {
    violations: [...unsettled, ...ofEach.flatMap(({ violations }) => violations)],
    reversed: ofEach.slice(0, payments.length).reduce((sum, { reversed }) => sum + reversed, 0),
  };
}

/**
 * Waits until no payment is open and both ledgers agree. The limit allows for the last deadline of a lost payment,
 * and for a busy machine.
 */
async function settle(world: World): Promise<Violation[]> {
  const untilMs = Date.now() + world.answerLimitMs;
  for (;;) {
    const books = await callControl<Books>(world, '/control/books');
    if (books.agree && books.open === 0) return [];
    if (Date.now() > untilMs)
      return [{ rule: 'everything settles and the two books agree', detail: JSON.stringify(books) }];
    await delay(systemClock, 50);
  }
}

type Broken = (rule: string, detail: string) => void;

async function checkPayment(world: World, payment: PosPayment): Promise<PaymentFindings> {
  const ids = [payment.key];
  const violations = payment.complaints.map((detail) => ({ rule: 'every request is answered', ids, detail }));
  const broken: Broken = (rule, detail) => violations.push({ rule, ids, detail });
  const told = await checkAnswers(world, payment, broken);
  const outcome = told === undefined ? undefined : payment.api.read(told);
  const named = outcome?.payment === undefined ? [] : [outcome.payment];
  const made = payment.stored?.map(({ identifier }) => identifier) ?? named;
  ids.push(...made);
  const ledgers = made.map((id) => callControl<LedgerEntry[]>(world, `/control/ledger?payment=${id}`));
  const ledger = (await Promise.all(ledgers)).flat();
  checkMoney(payment, outcome, ledger, broken);
  const reversed = ledger.filter(({ kind }) => takenBack.has(kind)).length;
  return { violations, reversed };
}

/**
 * Asks for the outcome twice by the payment's key: with a status request, and with the payment request itself. Checks
 * that both answers have the same outcome as all answers that the point of sale got before. Returns the outcome, or
 * undefined if the gateway does not know the key.
 */
async function checkAnswers(world: World, payment: PosPayment, broken: Broken): Promise<string | undefined> {
  const { answers, sent, unlinked, tooMuch } = payment;
  const status = await ask(world, payment, 'status');
  if (status.is === 'unknown') {
    if (answers[0] !== undefined) broken('a key answers as long as its payment is stored', answers[0]);
    return undefined;
  }
  if (status.is !== 'outcome') {
    broken('every accepted payment concludes', status.text);
    return undefined;
  }
  if (sent === unlinked && tooMuch === 0)
    broken('what was refused for want of a link is no payment', status.text);
  const again = await ask(world, payment, 'send');
  if (again.is !== 'outcome') broken('a key answers with its outcome', again.text);
  const outcomes = new Set([...answers, status.outcome, ...(again.is === 'outcome' ? [again.outcome] : [])]);
  if (outcomes.size !== 1) broken('a payment has one outcome', [...outcomes].join('\n'));
  return status.outcome;
}

/** @param ledger the entries of all payments that belong to the request, latest first */
function checkMoney(
  payment: PosPayment,
  outcome: Outcome | undefined,
  ledger: readonly LedgerEntry[],
  broken: Broken,
): void {
  const moved = movedBy(ledger);
  const reported = reportedTo(payment, outcome);
  if (moved !== reported)
    broken('what the issuer moved is what was reported to the POS', `moved ${moved}, reported ${reported}`);
  if (!oneStandsAtMost(ledger.toReversed()))
    broken('at most one authorization stands at a time', JSON.stringify(ledger));
  const charged = ledger.find(({ kind }) => moves.has(kind))?.card ?? undefined;
  if (moved > 0 && charged !== outcome?.maskedPan)
    broken('the card that was charged is the one in the result', `${charged}, ${outcome?.maskedPan}`);
  const other = payment.gives ? ['authorized', 'reversed'] : ['refunded', 'returned'];
  if (ledger.some(({ kind }) => other.includes(kind)))
    broken('the issuer takes or gives, as it was asked', JSON.stringify(ledger));
  if (payment.gives?.kind === 'reversal') checkGivenBack(payment, payment.gives, reported, broken);
  const delivered = payment.stored?.filter(({ deliveredAt }) => deliveredAt !== null) ?? [];
  if (delivered.length > 1) broken('a key is one payment', JSON.stringify(delivered));
}

/**
 * Checks the reversals of a payment. Together they gave back at most the amount that the payment took. Each reversal
 * gave back the amount that was requested.
 */
function checkGivenBack(
  { key, amount }: PosPayment,
  { whole, taken, given }: Reversal,
  reported: number,
  broken: Broken,
): void {
  if (!whole && reported !== 0 && reported !== amount)
    broken('what was asked for is given back', `asked ${amount}, reported ${reported}`);
  given.set(key, reported);
  if (sumOf(given) > taken)
    broken(
      'no more is given back than was taken',
      `taken ${taken}, given back ${JSON.stringify([...given])}`,
    );
}

/**
 * Whether each authorization was reversed before the next one was made. The attempt that made an authorization has to
 * reverse it (B134). The ledger's oldest entry comes first.
 */
function oneStandsAtMost(ledger: readonly LedgerEntry[]): boolean {
  let standing: string | null | undefined;
  for (const { kind, attemptId } of ledger) {
    if (moves.has(kind) && (standing !== undefined || attemptId === null)) return false;
    if (takenBack.has(kind) && standing !== attemptId) return false;
    if (moves.has(kind)) standing = attemptId;
    if (takenBack.has(kind)) standing = undefined;
  }
  return true;
}

/** The entries that move money to the shop or to the cardholder, and the entries that undo them. */
const moves: ReadonlySet<LedgerEntry['kind']> = new Set(['authorized', 'refunded']);
const takenBack: ReadonlySet<LedgerEntry['kind']> = new Set(['reversed', 'returned']);

/** Returns what the issuer has moved, minus what it has moved back, in minor units. */
function movedBy(ledger: readonly LedgerEntry[]): number {
  const sign = (kind: LedgerEntry['kind']) => Number(moves.has(kind)) - Number(takenBack.has(kind));
  return ledger.reduce((sum, { kind, amount }) => sum + sign(kind) * minor(amount), 0);
}

/**
 * Returns an amount in minor units. For a reversal, this is the amount that the POS considers given back. Otherwise
 * it is the amount that the POS considers paid: the requested amount, and the tip in the result.
 */
function reportedTo({ amount, gives }: PosPayment, outcome: Outcome | undefined): number {
  if (!outcome || outcome.failure !== undefined) return 0;
  return gives?.kind === 'reversal' ? minor(outcome.givenBack ?? 0) : amount + minor(outcome.tip);
}

const minor = (major: number) => Math.round(major * 100);

/**
 * Asks the API, and asks again if the gateway could not store something in time (B68). On a busy machine, storing
 * may take longer than the scaled time limit.
 */
async function ask(
  world: World,
  payment: PosPayment,
  question: PosRequestKind,
): Promise<UnderstoodAnswer & { text: string }> {
  const untilMs = Date.now() + world.answerLimitMs;
  for (;;) {
    const { path, ...request } = payment.api.request(payment, question, world.token);
    const answer = await httpRequest(world.url + path, { ...request, timeoutMs: world.answerLimitMs });
    if (answer.status !== 503 || Date.now() > untilMs)
      return { ...payment.api.understand(question, answer), text: `${answer.status} ${answer.text}` };
    await delay(systemClock, 50);
  }
}

async function inParallel<In, Out>(
  items: In[],
  width: number,
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const queue = items.entries();
  const results: Out[] = [];
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
