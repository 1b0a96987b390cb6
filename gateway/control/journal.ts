import { z } from 'zod';
import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type Answer, type AnyEndpoint, endpoint, type StreamOutput } from '../http/endpoint.ts';
import { liveStream } from '../http/live-stream.ts';
import { wholeNumber } from '../http/whole-number.ts';
import type { Services } from '../services.ts';
import { exampleIds } from './examples.ts';

const filter = {
  kind: z.string().optional().meta({
    description: 'Kinds, separated by commas; one that ends in a dot means all kinds that begin with it',
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
        'Grows from entry to entry: from 1 since the gateway started, or, of several gateways, by time, the same at each',
    }),
    at: z.number().meta({ description: "The clock's time in milliseconds since 1970" }),
    kind: z.string(),
    terminal: z.string().optional(),
    payment: z.string().optional(),
    gateway: z
      .string()
      .optional()
      .meta({ description: 'Where it happened, where several gateways hear of each other' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'JournalEntry', description: 'One thing that happened' });

const exampleEntry = {
  seq: 17,
  at: 1_767_258_000_000,
  kind: 'payment.concluded',
  terminal: exampleIds.poiId,
  payment: exampleIds.payment,
  data: { result: 'success', why: 'the terminal answers approved' },
};
const entriesQuery = z.object({
  ...filter,
  since: wholeNumber(0).optional().meta({ description: 'Only entries after this seq' }),
  limit: wholeNumber(1, 10_000).default(100).meta({ description: 'At most so many; 100 unless given' }),
});
const journalPage = z.object({
  entries: z.array(entry),
  last: z.int().meta({ description: 'The latest seq; give it as `since` next time' }),
});
const streamQuery = z.object({ ...filter, since: wholeNumber(0).optional() });
const streamHeaders = z.object({
  'last-event-id': wholeNumber(0)
    .optional()
    .meta({ description: 'The last entry you received, to resume a stream' }),
});

/** Everything that happened, and live what happens. */
export function journalEndpoints({ runtime, journal }: Pick<Services, 'runtime' | 'journal'>): AnyEndpoint[] {
  const common = { tag: 'Control: journal', guard: 'control' } as const;
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/control/journal',
      operationId: 'controlGetJournal',
      summary: 'List journal entries',
      description: 'Oldest first. With `since` the first entries after it, without it the latest ones.',
      query: entriesQuery,
      responses: {
        200: {
          description: 'Entries',
          schema: journalPage,
          examples: { one: { entries: [exampleEntry], last: 17 } },
        },
      },
      handle: async ({ query }) => {
        await journal.complete();
        const found = journal.since(query.since).filter(matches(query));
        const entries = query.since === undefined ? found.slice(-query.limit) : found.slice(0, query.limit);
        return { status: 200, pieces: pageInPieces(entries, lastOf(journal)) };
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/control/journal/stream',
      operationId: 'controlStreamJournal',
      summary: 'Stream journal entries',
      description:
        'Server-sent events; each has an entry as its data and the seq as its id. With `since` or Last-Event-ID it begins after that entry, otherwise with the next one.',
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
        await journal.complete();
        const since = headers['last-event-id'] ?? query.since ?? lastOf(journal);
        return stream({ runtime, journal }, matches(query), since);
      },
    }),
  ];
}

/** Of ten thousand entries each may take 200 kB, and more as JSON: one text of all would need many times what they do. */
function* pageInPieces(entries: readonly JournalEntry[], last: number): Generator<string> {
  yield '{"entries":[';
  for (const [index, one] of entries.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(one)}`;
  yield `],"last":${last}}\n`;
}

function lastOf(journal: JournalReader): number {
  return journal.latest?.seq ?? 0;
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

function stream(
  { runtime, journal }: { runtime: Runtime; journal: JournalReader },
  wanted: (entry: JournalEntry) => boolean,
  since: number,
): Answer {
  const send = ({ write }: StreamOutput, one: JournalEntry) => {
    if (wanted(one)) write(`id: ${one.seq}\ndata: ${JSON.stringify(one)}\n\n`);
  };
  let last = since;
  return liveStream(runtime, {
    name: 'the journal',
    history: async (output, signal) => {
      // It may be more than a client can be sent at once, and grows meanwhile.
      for (let entries = journal.since(last); entries.length > 0; entries = journal.since(last))
        for (const one of entries) {
          send(output, one);
          last = one.seq;
          await output.drained();
          if (signal.aborted) return;
        }
    },
    follow: (output) => journal.listen((one) => send(output, one)),
  });
}
