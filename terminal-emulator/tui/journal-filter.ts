import type { JournalEntry } from '../../shared/journal.ts';
import { onceForEach } from '../../shared/recent.ts';
import type { JournalLine } from './journal-lines.ts';
import type { TuiState } from './state.ts';

/** The parts of the state that a filter reads. */
type Filtered = Pick<TuiState, 'journal' | 'details' | 'filter' | 'terminals' | 'payments'>;

const kept = new WeakMap<readonly JournalLine[], { of: Filtered; lines: readonly JournalLine[] }>();

/**
 * Returns the journal's listed lines, oldest first: those that contain every word of the filter, or without a filter
 * all except the small print. A word is any text of an entry, bodies included, or `payment:`, `terminal:` or `kind:`
 * followed by a part of its value.
 */
export function listedJournal(state: Filtered): readonly JournalLine[] {
  const before = kept.get(state.journal);
  if (before && isSame(before.of, state)) return before.lines;
  const lines = filtered(state);
  kept.set(state.journal, { of: state, lines });
  return lines;
}

function isSame(a: Filtered, b: Filtered): boolean {
  return (
    a.filter === b.filter &&
    a.details === b.details &&
    a.payments === b.payments &&
    (a.filter === '' || a.terminals === b.terminals)
  );
}

function filtered(state: Filtered): readonly JournalLine[] {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0)
    return state.details ? state.journal : state.journal.filter(({ detail }) => !detail);
  const tests = words.map((word) => testOf(word, state));
  return state.journal.filter((line) => tests.every((test) => test(line)));
}

function testOf(word: string, { terminals, payments }: Filtered): (line: JournalLine) => boolean {
  const [, field, value = ''] = /^(payment|terminal|kind):(.*)$/.exec(word) ?? [];
  if (field === 'kind') return ({ entry }) => entry.kind.toLowerCase().startsWith(value);
  if (field === 'terminal') {
    const meant = terminals.filter(({ poiId, store }) => `${poiId} ${store}`.toLowerCase().includes(value));
    const ids = new Set(meant.flatMap(({ poiId, identifier }) => [poiId, identifier]));
    return ({ entry }) => ids.has(entry.terminal ?? '') || ids.has(terminalInPath(entry) ?? '');
  }
  if (field === 'payment') {
    const meant = payments.filter(({ id }) => id.includes(value));
    const ids = new Set<string | undefined>(meant.flatMap(({ id, requestId }) => [id, requestId]));
    return ({ entry }) =>
      ids.has(entry.payment) ||
      ids.has(requestOf(entry)) ||
      meant.some(({ id }) => textOf(entry).includes(id));
  }
  const pattern = patternOf(word);
  return (line) => pattern.test(line.text) || pattern.test(textOf(line.entry));
}

/** Returns the terminal that a request's path names: by its identifier, or in the control API also by its poi_id. */
function terminalInPath({ kind, data }: JournalEntry): string | undefined {
  if (!kind.startsWith('http.') || !('path' in data)) return undefined;
  return /\/terminals\/([^/?]+)/.exec(data.path)?.[1];
}

function requestOf({ kind, data }: JournalEntry): string | undefined {
  return kind.startsWith('http.') && 'requestId' in data ? data.requestId : undefined;
}

/** The most characters of a body in which a word is searched. */
const longest = 20_000;

const textOf = onceForEach((entry: JournalEntry) => JSON.stringify(entry).slice(0, longest));

/**
 * Makes the pattern that finds a word. Letters must begin a word, or a word inside a name such as errorCondition:
 * "fault" must not find "default". A text with digits or signs, such as a part of an identifier, may be anywhere.
 */
function patternOf(word: string): RegExp {
  if (!/^\p{L}+$/u.test(word)) return new RegExp(word.replaceAll(/[^\w\s]/g, '\\$&'), 'i');
  const letters = Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const [first, ...rest] = letters;
  const capital = word.charAt(0).toUpperCase();
  return new RegExp(`(?:(?<!\\p{L})${first}|(?<=\\p{Ll})${capital})${rest.join('')}`, 'u');
}
