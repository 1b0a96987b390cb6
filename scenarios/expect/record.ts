import { isoTime } from '../../shared/clock.ts';
import type { JournalEntry, JournalKind } from '../../shared/journal.ts';
import { differences, explainDifference } from '../match/match.ts';
import { compared, type Expectation, requestOf, type Scene } from './expectation.ts';

export interface JournalWish {
  kind: JournalKind | (string & {});
  /** Parts of the entry's data. */
  data?: unknown;
  terminal?: string | undefined;
  /** Exactly so many; at least one without; 0 is never. */
  times?: number | undefined;
}

/** Entries of the journal, of the payment where one is named. */
export const journalExpectation: Expectation<readonly JournalWish[]> = async (scene, wishes) => {
  const entries = await scene.stage.journal();
  const payment = scene.of === undefined ? undefined : await requestOf(scene).payment();
  const wrong = wishes.flatMap((wish) => {
    const found = entries.filter((entry) => fits(entry, wish, payment, scene));
    const enough = wish.times === undefined ? found.length > 0 : found.length === wish.times;
    return enough ? [] : [`${found.length} journal entries like ${JSON.stringify(wish)}`];
  });
  const kinds = new Set(wishes.map(({ kind }) => kind));
  const seen = entries.filter((entry) => kinds.has(entry.kind)).slice(-5);
  return { wrong, saw: seen.map(describeEntry).join('\n') || `no entry of ${[...kinds].join(', ')}` };
};

function fits(
  entry: JournalEntry,
  wish: JournalWish,
  payment: string | undefined,
  { stage }: Scene,
): boolean {
  return (
    entry.kind === wish.kind &&
    (payment === undefined || entry.payment === undefined || entry.payment === payment) &&
    (wish.terminal === undefined || entry.terminal === stage.terminal(wish.terminal).poiId) &&
    (wish.data === undefined || differences(wish.data, entry.data).length === 0)
  );
}

/** One line of the journal, for failures. */
export function describeEntry({ at, kind, terminal, data }: JournalEntry): string {
  const time = isoTime(at).slice(11, 23);
  const body = JSON.stringify(data);
  return `${time} ${kind} ${terminal ?? ''} ${body.length > 240 ? `${body.slice(0, 237)}…` : body}`;
}

interface LedgerLine {
  kind: string;
  amount: number;
}

/** The acquirer's lines of the payment, oldest first: their kinds, or parts of them. */
export const ledgerExpectation: Expectation<readonly unknown[] | Record<string, unknown>> = async (
  scene,
  wish,
) => {
  const request = requestOf(scene, 'payment', 'debit');
  const payment = await request.payment();
  if (payment === undefined) return { wrong: ['the request is about no payment that is known'] };
  const lines = await scene.stage.mustControl<LedgerLine[]>('GET', `/ledger?payment=${payment}`);
  // Closing a failed payment moves no money (decisions, "The two books" 2): only who asks for it sees the line.
  const asked = JSON.stringify(wish).includes('closed');
  const oldestFirst = lines.toReversed().filter(({ kind }) => asked || kind !== 'closed');
  const wanted = Array.isArray(wish)
    ? wish.map((line) => (typeof line === 'string' ? { kind: line } : line))
    : wish;
  const wrong = differences(wanted, oldestFirst, 'ledger').map(explainDifference);
  return {
    wrong,
    saw: `the ledger: ${JSON.stringify(oldestFirst.map(({ kind, amount }) => [kind, amount]))}`,
  };
};

/** Whether what the issuer moved is what the point of sale was told. */
export const booksExpectation: Expectation<'agree' | Record<string, unknown>> = async (scene, wish) => {
  const books = await scene.stage.mustControl('GET', '/books');
  // On a gateway that others use as well, their payments may be open.
  const settled = scene.stage.backstage.stack ? { agree: true, open: 0 } : { agree: true };
  const wanted = wish === 'agree' ? settled : wish;
  return { wrong: compared('books', wanted, books), saw: `the books: ${JSON.stringify(books)}` };
};

/** Why a payment or debit is as it is: parts of what the control API explains. */
export const explanationExpectation: Expectation<unknown> = async (scene, wish) => {
  const request = requestOf(scene, 'payment', 'debit');
  const payment = await request.payment();
  if (payment === undefined) return { wrong: ['the request is about no payment that is known'] };
  const kind = request.kind === 'debit' ? 'debits' : 'payments';
  const explanation = await scene.stage.mustControl('GET', `/${kind}/${payment}`);
  return { wrong: compared(kind.slice(0, -1), wish, explanation), saw: JSON.stringify(explanation) };
};

interface EventLine {
  type: string;
}

/** Events published, oldest first: each wish fits one of them. */
export const eventsExpectation: Expectation<readonly unknown[]> = async (scene, wishes) => {
  const listed = await scene.stage.mustControl<EventLine[]>(
    'GET',
    `/events?limit=1000&accountId=${scene.stage.backstage.accountId}`,
  );
  const wrong = wishes.flatMap((wish) => {
    const wanted = typeof wish === 'string' ? { type: wish } : wish;
    return listed.some((event) => differences(wanted, event).length === 0)
      ? []
      : [`no event like ${JSON.stringify(wanted)}`];
  });
  return { wrong, saw: `the events: ${listed.map(({ type }) => type).join(', ') || 'none'}` };
};
