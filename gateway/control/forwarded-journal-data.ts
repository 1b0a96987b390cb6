import { type JournalKind, type JournalKinds, parseEntryData } from '../../shared/journal.ts';

/** The kinds of journal entries that a terminal in another process forwards. */
type Forwarded = Extract<JournalKind, `${'terminal' | 'reader' | 'link' | 'message'}.${string}` | 'warning'>;
type Read = (value: unknown) => unknown;

const text: Read = (value) => (typeof value === 'string' ? value : '?');
const number: Read = (value) => (typeof value === 'number' ? value : 0);
const flag: Read = (value) => value === true;
const anything: Read = (value) => value;
const optional =
  (read: Read): Read =>
  (value) =>
    value === undefined ? undefined : read(value);
const texts: Read = (value) => (Array.isArray(value) ? value.map(text) : undefined);
const message = { link: text, message: text, serviceId: optional(text), body: anything };

const fields: { [K in Forwarded]: Record<keyof JournalKinds[K], Read> } = {
  'link.opened': { link: text },
  'link.closed': { link: text, code: number, reason: text },
  'message.sent': message,
  'message.received': message,
  'terminal.state': { state: text },
  'terminal.screen': {
    state: text,
    title: text,
    amount: optional(text),
    lines: texts,
    choices: texts,
    givesBack: optional(text),
  },
  'terminal.key': { key: text },
  'terminal.card': { action: text, card: text },
  'terminal.power': { on: flag, at: optional(text) },
  'terminal.cutPlanned': { at: optional(text), mode: optional(text) },
  'terminal.network': { up: flag, at: optional(text) },
  'terminal.flapping': { times: number, downMs: optional(number), upMs: optional(number) },
  'terminal.latency': { latencyMs: number },
  'terminal.printed': { copy: text },
  'terminal.memory': { what: text },
  'reader.event': { reader: text, event: text },
  warning: { message: text },
};

type ReadEntry = (given: { data: string }) => never;

const readers = new Map(Object.entries(fields).map(([kind, known]) => [kind, readerOf(known)]));
const readUnknown = readerOf({});

/**
 * Gives the function that reads the data of a forwarded entry, which is JSON text. The code that shows entries relies
 * on the fields of each kind. So if a field is missing or has a wrong type, it gets a valid value.
 */
export function forwardedDataReader(kind: string): ReadEntry {
  return readers.get(kind) ?? readUnknown;
}

function readerOf(known: Record<string, Read>): ReadEntry {
  return (given) => {
    const data: Record<string, unknown> = { ...(parseEntryData(given) as object) };
    for (const [name, read] of Object.entries(known)) {
      const value = read(data[name]);
      if (value === undefined) delete data[name];
      else data[name] = value;
    }
    // The compiler cannot tell to which kind of entry these data belong. The type `never` suits every kind, so the
    // journal accepts them.
    return data as never;
  };
}
