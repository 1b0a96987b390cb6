import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { TransactionResult } from '../stack/stack-harness.ts';
import { cardsWithSecretCard, secretPin, type World } from './world.ts';

interface Payment {
  identifier: string;
  idempotencyKey: string | null;
  terminalId: string;
  amount: number;
  state: string;
  acceptedAt: string;
  concludedAt: string | null;
}
interface LedgerLine {
  payment: string;
  kind: string;
  amount: number;
  attemptId: string | null;
  card: string | null;
}

const keyLifeMs = 48 * 3_600_000;

/** Returns everything that is wrong once all has settled. The list is empty if nothing is wrong. */
export async function findViolations(world: World): Promise<string[]> {
  const { harness } = world;
  const payments = (await harness.control<Payment[]>('GET', '/payments?limit=1000')).body;
  const results = new Map<string, TransactionResult>();
  for (const { identifier, state } of payments) {
    if (state !== 'concluded') continue; // the gateway would hold a status request for an open payment
    const { status, body } = await harness.http(
      'GET',
      `/payment-requests/status?transactionId=${identifier}`,
    );
    if (status === 200) results.set(identifier, body);
  }
  return [
    ...world.observed.faults,
    ...concluded(payments, results),
    ...answersAgree(world, results),
    ...shapes(results),
    ...(await booksAgree(world, payments, results)),
    ...(await keysAnswer(world, payments, results)),
    ...requestsAnswered(world),
    ...nothingLeaked(world),
    ...(await takesAPayment(world)),
  ];
}

/** Checks that no payment is open and that both ledgers agree, even if a terminal never comes back. */
export async function checkNoMoneyIsStranded({ harness }: World): Promise<string[]> {
  const books = (await harness.control<{ agree: boolean; open: number }>('GET', '/books')).body;
  return books.agree && books.open === 0 ? [] : [`without the terminals: ${JSON.stringify(books)}`];
}

function concluded(payments: Payment[], results: Map<string, TransactionResult>): string[] {
  return payments
    .filter(({ identifier, state }) => state !== 'concluded' || !results.has(identifier))
    .map(({ identifier, state }) => `payment ${identifier} is ${state}, without an outcome`);
}

/** Checks that each payment has only one outcome, which every caller gets from every request. */
function answersAgree({ observed }: World, results: Map<string, TransactionResult>): string[] {
  const unknown = observed.payments
    .filter(({ identifier }) => identifier !== undefined && !results.has(identifier))
    .map(({ identifier }) => `the accepted payment ${identifier} is gone`);
  const changed = [...observed.results].flatMap(([identifier, answers]) =>
    answers
      .filter((answer) => !isDeepStrictEqual(answer, results.get(identifier)))
      .map(
        (answer) =>
          `payment ${identifier} was reported as ${outcomeOf(answer)}, and is ${outcomeOf(results.get(identifier))}`,
      ),
  );
  return [...unknown, ...changed];
}

function shapes(results: Map<string, TransactionResult>): string[] {
  return [...results.values()].flatMap((result) => {
    const { identifier, response, paymentResult, paymentReceipt } = result;
    const approved = response.result === 'success';
    const faults: string[] = [];
    if (approved && (response.errorCondition !== undefined || !paymentResult || paymentReceipt?.length !== 2))
      faults.push(`success ${identifier} lacks a card or receipts, or has a condition`);
    if (!approved && (response.errorCondition === undefined || paymentReceipt))
      faults.push(`failure ${identifier} lacks its condition, or has receipts`);
    return faults;
  });
}

/**
 * Checks that the issuer moved exactly what was reported to the POS. Both the product's own comparison and the test's
 * sums have to agree.
 */
async function booksAgree(
  { harness }: World,
  payments: Payment[],
  results: Map<string, TransactionResult>,
): Promise<string[]> {
  const books = (await harness.control<{ agree: boolean; open: number }>('GET', '/books')).body;
  const lines = (await harness.control<LedgerLine[]>('GET', '/ledger?limit=1000')).body;
  const faults = books.agree && books.open === 0 ? [] : [`GET /control/books: ${JSON.stringify(books)}`];
  for (const { identifier, amount } of payments) {
    const own = lines.filter(({ payment }) => payment === identifier);
    const sum = (kind: string) =>
      own
        .filter((line) => line.kind === kind)
        .reduce((total, line) => total + Math.round(line.amount * 100), 0);
    const moved = sum('authorized') - sum('reversed');
    const observed = reportedAmount(amount, results.get(identifier));
    if (moved !== observed)
      faults.push(`payment ${identifier}: the POS got ${observed}, the issuer moved ${moved}`);
    faults.push(
      ...attemptsHold(own.toReversed(), results.get(identifier)).map(
        (fault) => `payment ${identifier}: ${fault}`,
      ),
    );
  }
  return faults;
}

/**
 * Checks that at most one attempt is authorized at any time, and that the last authorized attempt was made with the
 * card that was reported.
 */
function attemptsHold(lines: LedgerLine[], result: TransactionResult | undefined): string[] {
  const faults: string[] = [];
  let standing: LedgerLine | undefined;
  for (const line of lines) {
    if (line.kind === 'authorized') {
      if (standing) faults.push(`attempt ${line.attemptId} was authorized while ${standing.attemptId} stood`);
      if (line.attemptId === null) faults.push('an authorization names no attempt');
      standing = line;
    } else if (line.kind === 'reversed') {
      if (standing?.attemptId !== line.attemptId)
        faults.push(`attempt ${line.attemptId} was reversed, but ${standing?.attemptId} stood`);
      standing = undefined;
    }
  }
  const observed = result?.paymentResult?.paymentInstrumentData.cardData.maskedPan;
  if (standing && standing.card !== observed)
    faults.push(`the card ${standing.card} was charged, and the POS's result has ${observed}`);
  return faults;
}

function reportedAmount(requested: number, result: TransactionResult | undefined): number {
  if (result?.response.result !== 'success') return 0;
  const observed =
    Math.round(100 * requested) + Math.round(100 * (result.paymentResult?.amountsResp?.tipAmount ?? 0));
  return observed === Number(result.response.additionalResponse.posAuthAmountValue) ? observed : Number.NaN;
}

/** Checks that a key always belongs to one payment, and that a repeated request returns that payment's outcome. */
async function keysAnswer(
  { harness, observed }: World,
  payments: Payment[],
  results: Map<string, TransactionResult>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const key of new Set(payments.map(({ idempotencyKey }) => idempotencyKey))) {
    if (key === null) continue;
    const [latest, ...earlier] = payments.filter(({ idempotencyKey }) => idempotencyKey === key);
    const { identifier, acceptedAt, state } = latest as Payment;
    if (state !== 'concluded') continue;
    for (const { concludedAt } of earlier) {
      if (concludedAt === null || Date.parse(acceptedAt) < Date.parse(concludedAt) + keyLifeMs)
        faults.push(`key ${key} stands for two payments at a time`);
    }
    const status = await harness.http('GET', `/payment-requests/status?idempotencyKey=${key}`);
    if (!isDeepStrictEqual(status.body, results.get(identifier)))
      faults.push(`key ${key} answers ${status.status} ${JSON.stringify(status.body)}`);
    const sent = observed.payments.find(
      (payment) => payment.identifier === identifier && payment.key === key,
    );
    const livesUntil = Date.parse(latest?.concludedAt ?? '') + keyLifeMs;
    if (!sent || harness.clock.now() >= livesUntil) continue;
    const again = await harness.http('POST', `/terminals/${sent.terminalId}/payment-request`, sent.body, {
      'idempotency-key': key,
    });
    if (!isDeepStrictEqual(again.body, results.get(identifier)))
      faults.push(`key ${key} sent again answers ${again.status} ${JSON.stringify(again.body)}`);
  }
  return faults;
}

function requestsAnswered({ harness }: World): string[] {
  const open = new Set<string>();
  const faults: string[] = [];
  for (const { kind, data } of harness.journal()) {
    if (kind === 'http.received') open.add((data as { requestId: string }).requestId);
    if (kind === 'http.answered' || kind === 'http.hungUp')
      open.delete((data as { requestId: string }).requestId);
    if (kind === 'http.answered' && (data as { status: number }).status === 500)
      faults.push(`500: ${JSON.stringify(data)}`);
    if (kind === 'warning' && /Error|memory:|could not/.test((data as { message: string }).message))
      faults.push(`warning: ${(data as { message: string }).message}`);
  }
  return [...faults, ...[...open].map((requestId) => `request ${requestId} was never answered`)];
}

/** Checks that neither the journal nor any file contains a full card number or a typed PIN. */
function nothingLeaked({ harness, folder }: World): string[] {
  const spelled = [...secretPin].map((digit) => JSON.stringify(digit)).join(',');
  const secrets = [...cardsWithSecretCard.map(({ number }) => number), secretPin, spelled];
  const places = [
    ['the journal', JSON.stringify(harness.journal())],
    ...readdirSync(folder)
      .filter((name) => name.includes('sqlite') || name.includes('.db'))
      .map((name) => [name, readFileSync(`${folder}/${name}`, 'latin1')]),
  ];
  return places.flatMap(([place, text]) =>
    secrets.filter((secret) => text?.includes(secret)).map((secret) => `${place} has ${secret}`),
  );
}

async function takesAPayment({ harness }: World): Promise<string[]> {
  const faults: string[] = [];
  for (const number of [0, 1]) {
    const { poiId, identifier } = harness.terminal(number);
    const paying = harness.http('POST', `/terminals/${identifier}/payment-request`, {
      paymentTransaction: { amountsReq: { requestedAmount: 5 } },
    });
    await harness.settled();
    const tapped = await harness.control('POST', `/terminals/${poiId}/tap`, { card: 'phone' });
    if (tapped.status !== 200) {
      faults.push(`after all, terminal ${number + 1} takes no card: ${JSON.stringify(tapped.body)}`);
      await harness.clock.advance(300_000);
    }
    const outcome = outcomeOf((await paying).body);
    if (outcome !== 'success')
      faults.push(`after all, a payment at terminal ${number + 1} ends as ${outcome}`);
  }
  return faults;
}

function outcomeOf(result: TransactionResult | undefined): string {
  return result?.response?.errorCondition ?? result?.response?.result ?? JSON.stringify(result);
}
