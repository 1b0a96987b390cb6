import { isoTime } from '../../shared/clock.ts';
import type { JournalEntry, JournalKind } from '../../shared/journal.ts';
import {
  describeDifferences,
  type ExpectationCheck,
  type ExpectationScope,
  findCheckedRequest,
} from './expectation.ts';
import { differences, explainDifference } from './match.ts';
import { untoldPaymentText } from './untold-text.ts';

export interface ExpectedJournalEntry {
  kind: JournalKind | (string & {});
  /** Parts of the entry's data. */
  data?: unknown;
  terminal?: string;
  /** The exact number of such entries; 0 if there must be none. If absent, there must be at least one. */
  times?: number;
}

/** Checks entries of the journal. If a payment is named, only the entries of this payment count. */
export const checkJournal: ExpectationCheck<readonly ExpectedJournalEntry[]> = async (scope, expected) => {
  const entries = await scope.context.journal();
  const payment = scope.of === undefined ? undefined : await findCheckedRequest(scope).payment();
  const wrong = expected.flatMap((expected) => {
    const found = entries.filter((entry) => fits(entry, expected, payment, scope));
    const enough = expected.times === undefined ? found.length > 0 : found.length === expected.times;
    return enough
      ? []
      : [`the number of journal entries like ${JSON.stringify(expected)} is ${found.length}`];
  });
  const kinds = new Set(expected.map(({ kind }) => kind));
  const seen = entries.filter((entry) => kinds.has(entry.kind)).slice(-5);
  return {
    wrong,
    saw:
      seen.map(describeJournalEntry).join('\n') || `there is no entry of the kind ${[...kinds].join(' or ')}`,
  };
};

function fits(
  entry: JournalEntry,
  expected: ExpectedJournalEntry,
  payment: string | undefined,
  { context }: ExpectationScope,
): boolean {
  return (
    entry.kind === expected.kind &&
    (payment === undefined || entry.payment === undefined || entry.payment === payment) &&
    (expected.terminal === undefined || entry.terminal === context.terminal(expected.terminal).poiId) &&
    (expected.data === undefined || differences(expected.data, entry.data).length === 0)
  );
}

/** Describes a journal entry in one line, for failure messages. */
export function describeJournalEntry({ at, kind, terminal, data }: JournalEntry): string {
  const time = isoTime(at).slice(11, 23);
  const body = JSON.stringify(data);
  return `${time} ${kind} ${terminal ?? ''} ${body.length > 240 ? `${body.slice(0, 237)}…` : body}`;
}

/**
 * Checks the acquirer's ledger lines about the payment, the oldest line first. The expectation names the kinds of the
 * lines, or parts of the lines.
 */
export const checkLedger: ExpectationCheck<readonly unknown[] | Record<string, unknown>> = async (
  scope,
  expected,
) => {
  const request = findCheckedRequest(scope, 'payment', 'givenBack', 'debit');
  const payment = await request.payment();
  if (payment === undefined) return { wrong: ['no payment is known for the request'] };
  const lines = await scope.context.control.GET('/control/ledger', { params: { query: { payment } } });
  // When a failed payment is closed, no money moves (B135). So the ledger line `closed` is checked only if the step
  // expects such a line.
  const asked = JSON.stringify(expected).includes('closed');
  const oldestFirst = lines.toReversed().filter(({ kind }) => asked || kind !== 'closed');
  const wanted = Array.isArray(expected)
    ? expected.map((line) => (typeof line === 'string' ? { kind: line } : line))
    : expected;
  const wrong = differences(wanted, oldestFirst, 'ledger').map(explainDifference);
  return {
    wrong,
    saw: `the ledger: ${JSON.stringify(oldestFirst.map(({ kind, amount }) => [kind, amount]))}`,
  };
};

/** Checks whether the sum that the POS was told equals the sum that the issuer moved. */
export const checkBooks: ExpectationCheck<'agree' | 'told' | Record<string, unknown>> = async (
  scope,
  expected,
) => {
  const books = await scope.context.control.GET('/control/books');
  // If other clients use the gateway too, open payments do not count, because they may belong to these clients.
  const settled = scope.context.environment.stack ? { agree: true, open: 0 } : { agree: true };
  const wanted = expected === 'agree' || expected === 'told' ? settled : expected;
  const { accountId } = scope.context.environment;
  const untold = expected === 'told' ? books.untold.filter((each) => each.accountId === accountId) : [];
  const wrong = [...describeDifferences('books', wanted, books), ...untold.map(untoldPaymentText)];
  return { wrong, saw: `the books: ${JSON.stringify(books)}` };
};

/** Checks parts of the control API's explanation of a payment or debit. */
export const checkExplanation: ExpectationCheck<unknown> = async (scope, expected) => {
  const request = findCheckedRequest(scope, 'payment', 'givenBack', 'debit');
  const payment = await request.payment();
  if (payment === undefined) return { wrong: ['no payment is known for the request'] };
  const kind = request.kind === 'debit' ? 'debits' : 'payments';
  const explanation = await scope.context.control.call('GET', `/control/${kind}/${payment}`);
  return {
    wrong: describeDifferences(kind.slice(0, -1), expected, explanation),
    saw: JSON.stringify(explanation),
  };
};

/** Checks the published events. Each expected event must fit at least one published event. */
export const checkEvents: ExpectationCheck<readonly unknown[]> = async (scope, expected) => {
  const { accountId } = scope.context.environment;
  const query = { limit: 1000, accountId };
  const listed = await scope.context.control.GET('/control/events', { params: { query } });
  const wrong = expected.flatMap((expected) => {
    const wanted = typeof expected === 'string' ? { type: expected } : expected;
    return listed.some((event) => differences(wanted, event).length === 0)
      ? []
      : [`no event like ${JSON.stringify(wanted)}`];
  });
  return { wrong, saw: `the events: ${listed.map(({ type }) => type).join(', ') || 'none'}` };
};
