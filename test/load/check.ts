import { delay, systemClock } from '../../shared/clock.ts';
import { type Books, control, type LedgerEntry } from './control.ts';
import { httpRequest } from './http-request.ts';
import type { Loaded } from './loaded.ts';
import type { PosPayment } from './pos.ts';

/** What must be true and is not. */
export interface Violation {
  rule: string;
  /** The payments, debits, refunds, credits and events in question. */
  ids?: string[];
  detail: string;
}

/** The parts of an IPPTransactionResult that money depends on. */
interface Result {
  identifier: string;
  response: { result: 'success' | 'failure' };
  paymentResult?: {
    paymentInstrumentData: { cardData: { maskedPan: string } };
    amountsResp?: { tipAmount?: number };
  };
}

/** What a check found, and how many of the payments had to be reversed: the test proves little where none was. */
export interface Findings {
  violations: Violation[];
  reversed: number;
}

/**
 * Waits until nothing is open any more and the books agree, then holds every payment against the rules.
 *
 * @param earlier payments of former rounds, whose keys must still answer.
 */
export async function check(world: Loaded, payments: PosPayment[], earlier: PosPayment[]): Promise<Findings> {
  const unsettled = await settle(world);
  const ofEach = await inParallel([...payments, ...earlier], 8, (payment) => checkPayment(world, payment));
  return {
    violations: [...unsettled, ...ofEach.flatMap(({ violations }) => violations)],
    reversed: ofEach.slice(0, payments.length).reduce((sum, { reversed }) => sum + reversed, 0),
  };
}

/** How long everything may take to settle: the last deadline of a lost payment, and what a busy machine adds. */
async function settle(world: Loaded): Promise<Violation[]> {
  const untilMs = Date.now() + world.answerLimitMs;
  for (;;) {
    const books = await control<Books>(world, '/control/books');
    if (books.agree && books.open === 0) return [];
    if (Date.now() > untilMs)
      return [{ rule: 'everything settles and the two books agree', detail: JSON.stringify(books) }];
    await delay(systemClock, 50);
  }
}

async function checkPayment(world: Loaded, payment: PosPayment): Promise<Findings> {
  const ids = [payment.key];
  const violations = payment.complaints.map((detail) => ({ rule: 'every request is answered', ids, detail }));
  const broken = (rule: string, detail: string) => violations.push({ rule, ids, detail });

  const status = await ask(world, 'GET', `/payment-requests/status?idempotencyKey=${payment.key}`);
  if (status.status === 404) {
    if (payment.answers.length > 0)
      broken('a key answers as long as its payment is stored', payment.answers[0] ?? '');
    return { violations, reversed: 0 };
  }
  if (status.status !== 200) {
    broken('every accepted payment concludes', `${status.status} ${status.text}`);
    return { violations, reversed: 0 };
  }
  const again = await ask(world, 'POST', `/terminals/${payment.terminalId}/payment-request`, payment);
  if (again.status !== 200) broken('a key answers with its outcome', `${again.status} ${again.text}`);
  const outcomes = new Set([...payment.answers, status.text, again.text]);
  if (outcomes.size !== 1) broken('a payment has one outcome', [...outcomes].join('\n'));

  const result = JSON.parse(status.text) as Result;
  ids.push(result.identifier);
  const ledger = await control<LedgerEntry[]>(world, `/control/ledger?payment=${result.identifier}`);
  const moved = movedBy(ledger);
  const reported = reportedTo(payment, result);
  if (moved !== reported)
    broken('what the issuer moved is what was reported to the POS', `moved ${moved}, reported ${reported}`);
  if (!oneStandsAtMost(ledger.toReversed()))
    broken('at most one authorization stands at a time', JSON.stringify(ledger));
  const charged = ledger.find(({ kind }) => kind === 'authorized')?.card;
  if (moved > 0 && charged !== result.paymentResult?.paymentInstrumentData.cardData.maskedPan)
    broken('the card that was charged is the one in the result', `${charged}, ${status.text}`);
  return { violations, reversed: ledger.filter(({ kind }) => kind === 'reversed').length };
}

/** Each authorization is reversed before the next is made, by the attempt that it is of (B134). The first first. */
function oneStandsAtMost(ledger: readonly LedgerEntry[]): boolean {
  let standing: string | null | undefined;
  for (const { kind, attemptId } of ledger) {
    if (kind === 'authorized' && (standing !== undefined || attemptId === null)) return false;
    if (kind === 'reversed' && standing !== attemptId) return false;
    if (kind === 'authorized') standing = attemptId;
    if (kind === 'reversed') standing = undefined;
  }
  return true;
}

/** Minor units the issuer has moved and not moved back. */
function movedBy(ledger: readonly LedgerEntry[]): number {
  const sign: Partial<Record<LedgerEntry['kind'], number>> = { authorized: 1, reversed: -1 };
  return ledger.reduce((sum, { kind, amount }) => sum + (sign[kind] ?? 0) * minor(amount), 0);
}

/** Minor units the POS considers paid: what it asked for and the tip in its result. */
function reportedTo(payment: PosPayment, { response, paymentResult }: Result): number {
  if (response.result !== 'success') return 0;
  return payment.amount + minor(paymentResult?.amountsResp?.tipAmount ?? 0);
}

const minor = (major: number) => Math.round(major * 100);

/** Asks again where a store was too slow for the scaled time of an answer (B68), as it is on a busy machine. */
async function ask(world: Loaded, method: string, path: string, send?: PosPayment) {
  const untilMs = Date.now() + world.answerLimitMs;
  for (;;) {
    const answer = await httpRequest(world.url + path, {
      method,
      headers: {
        authorization: `Bearer ${world.token}`,
        ...(send ? { 'content-type': 'application/json', 'idempotency-key': send.key } : {}),
      },
      ...(send ? { body: send.body } : {}),
      timeoutMs: world.answerLimitMs,
    });
    if (answer.status !== 503 || Date.now() > untilMs) return answer;
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
