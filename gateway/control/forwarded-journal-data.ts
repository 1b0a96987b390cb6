import { type JournalDataByKind, type JournalKind, parseEntryData } from '../../shared/journal.ts';

/** The kinds of journal entries that come from a terminal in another process. */
type Forwarded = Extract<JournalKind, `${'terminal' | 'reader' | 'link' | 'message'}.${string}` | 'warning'>;
type FieldReader = (value: unknown) => unknown;

const text: FieldReader = (value) => (typeof value === 'string' ? value : '?');
const number: FieldReader = (value) => (typeof value === 'number' ? value : 0);
const flag: FieldReader = (value) => value === true;
const anything: FieldReader = (value) => value;
const optional =
  (read: FieldReader): FieldReader =>
  (value) =>
    value === undefined ? undefined : read(value);
const texts: FieldReader = (value) => (Array.isArray(value) ? value.map(text) : undefined);
const message = { link: text, message: text, serviceId: optional(text), body: anything };

const fields: { [K in Forwarded]: Record<keyof JournalDataByKind[K], FieldReader> } = {
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

type EntryReader = (given: { data: string }) => never;

const readers = new Map(Object.entries(fields).map(([kind, known]) => [kind, entryReader(known)]));
const readUnknownKind = entryReader({});

/**
 * Gives the function that reads the data of a forwarded entry. The data are JSON text. The code that shows entries
 * relies on the fields of each kind of entry. So a field that is missing or has a wrong type gets a valid value.
 */
export function makeForwardedDataReader(kind: string): EntryReader {
  return readers.get(kind) ?? readUnknownKind;
}

function entryReader(known: Record<string, FieldReader>): EntryReader {
  return (given) => {
    const data: Record<string, unknown> = { ...(parseEntryData(given) as object) };
    for (const [name, read] of Object.entries(known)) {
      const value = read(data[name]);
      if (value === undefined) delete data[name];
      else data[name] = value;
    }
    // The compiler cannot tell which kind of entry these data belong to. With the type `never` the journal accepts
    // data of any kind.
    return data as never;
  };
}
