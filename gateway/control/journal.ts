import { z } from 'zod';
import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import type { JournalCursor, JournalPlace } from '../../shared/journal-cursor.ts';
import { maxPositionChars, positionPattern } from '../../shared/journal-position.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type Answer, type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { makeLiveStreamAnswer } from '../http/live-stream.ts';
import { makeWholeNumberSchema } from '../http/whole-number.ts';
import type { Services } from '../services.ts';
import { exampleIds } from './examples.ts';
import { formatStreamedEntry, JournalWatchers, type WatchFilter } from './journal-watchers.ts';

const filter = {
  kind: z.string().optional().meta({
    description:
      'The kinds of entries to return, separated by commas. A kind that ends in a dot means all kinds that begin with it',
    example: 'payment.,warning',
  }),
  payment: z.string().optional().meta({ description: "A payment's identifier" }),
  terminal: z.string().optional().meta({ description: "A terminal's poi_id" }),
};
type Filter = { kind?: string; payment?: string; terminal?: string };

const entry = z
  .object({
    seq: z.int().meta({
      description:
        "The entry's number, which grows from entry to entry. The first entry after the start of the gateway has the number 1. If there are several gateways, the number comes from the gateway that sends the answer. That gateway numbers the entries of all gateways in the order of time",
    }),
    at: z.number().meta({ description: "The clock's time in milliseconds since 1970" }),
    realAt: z
      .number()
      .optional()
      .meta({ description: 'The real time in milliseconds since 1970, if the clock is virtual' }),
    kind: z.string(),
    terminal: z.string().optional(),
    payment: z.string().optional(),
    gateway: z.string().optional().meta({
      description: 'The gateway that added the entry; present only if several gateways are connected',
    }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'JournalEntry', description: 'One event' });

const exampleEntry = {
  seq: 17,
  at: 1_767_258_000_000,
  kind: 'payment.concluded',
  terminal: exampleIds.poiId,
  payment: exampleIds.payment,
  data: { result: 'success', why: 'the terminal answers approved' },
};
const examplePosition = '1~hQ3vTx0a.4816~Zk81_w-c.902';

/**
 * The schema of a reader's position in the journal. A lone gateway uses a number. If there are several gateways, the
 * position is a text, which each gateway can write and read.
 */
function place() {
  const asNumber = (text: unknown) =>
    typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text;
  const wrong =
    'must be a whole number or a position, such as the value of `last` in an answer or the id of a streamed entry';
  const number = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
  const position = z.string().max(maxPositionChars).regex(positionPattern);
  return z.preprocess(asNumber, z.union([number, position], { error: wrong }));
}

const entriesQuery = z.object({
  ...filter,
  since: place().optional().meta({
    description:
      'Return only entries after this place. The place is the value `last` of an answer, the id of a streamed entry, or a seq of this gateway',
  }),
  limit: makeWholeNumberSchema(1, 10_000)
    .default(100)
    .meta({ description: 'The maximum number of items; 100 by default' }),
});
const journalPage = z.object({
  entries: z.array(entry),
  last: z.union([z.int(), z.string()]).meta({
    description:
      'To continue after these entries, send this value as `since` in the next request. If there are no more entries, or the request had no `since`, the value is the place after all entries. With one gateway the value is a number. With several gateways over NATS the value is a position that each of the gateways understands',
  }),
});
const streamQuery = z.object({ ...filter, since: place().optional() });
const streamHeaders = z.object({
  'last-event-id': place().optional().meta({
    description: 'The id of the last event that you received; the stream continues after this event',
  }),
});

/** Makes the endpoints that show the past entries of the journal, and the endpoint that streams new entries. */
export function journalEndpoints({ runtime, journal }: Services): AnyEndpoint[] {
  const watchers = new JournalWatchers(journal);
  const endpoint = makeEndpointDefiner({ tag: 'Control: journal', guard: 'control' });
  return [
    endpoint({
      route: 'GET /control/journal',
      operationId: 'controlGetJournal',
      summary: 'List journal entries',
      description:
        'The oldest entry comes first. With `since`, the answer has the first entries after that place. Without `since`, the answer has the latest entries.',
      query: entriesQuery,
      responses: {
        200: describeResponse('Entries', journalPage, {
          one: { entries: [exampleEntry], last: 17 },
          several: { entries: [{ ...exampleEntry, gateway: 'host-17' }], last: examplePosition },
        }),
      },
      handle: async ({ query }) => {
        await journal.complete(query.since);
        const page =
          query.since === undefined
            ? latestOf(journal, query)
            : pageFrom(cursorAt(journal, query.since, 'since'), query);
        return { status: 200, pieces: pageInPieces(page) };
      },
    }),
    endpoint({
      route: 'GET /control/journal/stream',
      operationId: 'controlStreamJournal',
      summary: 'Stream journal entries',
      description:
        'Server-sent events. The data of each event is an entry. To continue after an entry, send the id of its event as `since` or Last-Event-ID. The id is the seq of the entry or, over NATS, a position. Without `since` and Last-Event-ID, the stream begins with the next entry.',
      query: streamQuery,
      headers: streamHeaders,
      responses: {
        200: {
          description: 'The stream',
          contentType: 'text/event-stream',
          schema: z.string(),
          examples: { one: `id: 17\ndata: ${JSON.stringify(exampleEntry)}\n\n` },
        },
      },
      handle: async ({ query, headers }) => {
        const header = headers['last-event-id'];
        const since = header ?? query.since;
        await journal.complete(since);
        const cursor = cursorAt(journal, since, header === undefined ? 'since' : 'Last-Event-ID');
        return stream({ runtime, journal, watchers }, wantedBy(query), cursor);
      },
    }),
  ];
}

/** @throws ApiError if `place` is a position, and this gateway's journal is not shared with other gateways */
function cursorAt(
  journal: JournalReader,
  place: JournalPlace | undefined,
  path: string,
): JournalCursor<JournalEntry> {
  const cursor = journal.from(place);
  if (cursor) return cursor;
  const message =
    'must be a whole number: this gateway knows no other gateways, so it never returned a position';
  throw new ApiError('invalidRequest', { details: [{ path, message }] });
}

interface JournalPage {
  entries: readonly JournalEntry[];
  last: JournalPlace;
}

function latestOf(journal: JournalReader, query: Filter & { limit: number }): JournalPage {
  const entries = journal.since().filter(matches(query)).slice(-query.limit);
  return { entries, last: cursorAt(journal, undefined, 'since').place };
}

function pageFrom(cursor: JournalCursor<JournalEntry>, query: Filter & { limit: number }): JournalPage {
  const wanted = matches(query);
  const entries: JournalEntry[] = [];
  for (const one of cursor.ahead()) {
    const isWanted = wanted(one);
    if (isWanted && entries.length === query.limit) break;
    if (isWanted) entries.push(one);
    cursor.pass(one);
  }
  return { entries, last: cursor.place };
}

/**
 * Writes a page in pieces. A page may have ten thousand entries, and each entry may have 200 kB or more. One text with
 * all entries would need many times the memory of the entries.
 */
function* pageInPieces({ entries, last }: JournalPage): Generator<string> {
  yield '{"entries":[';
  for (const [index, one] of entries.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(one)}`;
  yield `],"last":${JSON.stringify(last)}}\n`;
}

function wantedBy({ kind, payment, terminal }: Filter): WatchFilter {
  return { name: JSON.stringify([kind, payment, terminal]), has: matches({ kind, payment, terminal }) };
}

function matches({ kind, payment, terminal }: Filter): (entry: JournalEntry) => boolean {
  const kinds = kind?.split(',');
  return (candidate) =>
    (kinds === undefined || kinds.some((wanted) => isOfKind(candidate.kind, wanted))) &&
    (payment === undefined || candidate.payment === payment) &&
    (terminal === undefined || candidate.terminal === terminal);
}

function isOfKind(kind: string, wanted: string): boolean {
  return wanted.endsWith('.') ? kind.startsWith(wanted) : kind === wanted;
}

interface Following {
  runtime: Runtime;
  journal: JournalReader;
  watchers: JournalWatchers;
}

function stream(
  { runtime, journal, watchers }: Following,
  wanted: WatchFilter,
  cursor: JournalCursor<JournalEntry>,
): Answer {
  return makeLiveStreamAnswer(runtime, {
    name: 'the journal',
    history: async (output, signal) => {
      // The client learns its position at once. If the client loses the connection before the first entry, it can
      // continue from this position at any gateway.
      if (typeof cursor.place === 'string') output.write(`id: ${cursor.place}\n\n`);
      // The history may be too long to send in one piece. New entries may also arrive while the history is being sent.
      for (let ahead = cursor.ahead(); ahead.length > 0; ahead = cursor.ahead())
        for (const one of ahead) {
          cursor.pass(one);
          if (wanted.has(one)) output.write(formatStreamedEntry(cursor, journal, one));
          await output.drained();
          if (signal.aborted) return;
        }
    },
    follow: (output) => watchers.watch(cursor, wanted, output),
  });
}
