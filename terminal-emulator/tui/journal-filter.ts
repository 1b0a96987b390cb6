import type { JournalEntry } from '../../shared/journal.ts';
import { memoizeByObject } from '../../shared/memoize-recent.ts';
import type { JournalLine } from './journal-lines.ts';
import type { TuiState } from './state.ts';

/** The parts of the state on which the filter depends. */
type Filtered = Pick<TuiState, 'journal' | 'details' | 'filter' | 'terminals' | 'payments'>;

const lastResults = new WeakMap<readonly JournalLine[], { of: Filtered; lines: readonly JournalLine[] }>();

/**
 * Returns the lines of the journal that are listed, oldest first. With a filter, these are the lines that contain all
 * words of the filter. Without a filter, these are all lines. Small print is listed only if `details` is set. A word
 * is searched for everywhere in an entry, including bodies. If `payment:`, `terminal:` or `kind:` comes before the
 * word, it is searched for only in the payment, the terminal or the kind of the entry.
 */
export function findListedJournalLines(state: Filtered): readonly JournalLine[] {
  const before = lastResults.get(state.journal);
  if (before && isSame(before.of, state)) return before.lines;
  const lines = matchingLines(state);
  lastResults.set(state.journal, { of: state, lines });
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

function matchingLines(state: Filtered): readonly JournalLine[] {
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

/** Returns the name of the terminal in the path of a request: its identifier or, in the control API, its poi_id. */
function terminalInPath({ kind, data }: JournalEntry): string | undefined {
  if (!kind.startsWith('http.') || !('path' in data)) return undefined;
  return /\/terminals\/([^/?]+)/.exec(data.path)?.[1];
}

function requestOf({ kind, data }: JournalEntry): string | undefined {
  return kind.startsWith('http.') && 'requestId' in data ? data.requestId : undefined;
}

/** The filter searches only this many characters at the beginning of an entry. */
const longest = 20_000;

const textOf = memoizeByObject((entry: JournalEntry) => JSON.stringify(entry).slice(0, longest));

/**
 * Makes the pattern that finds a word. A word that has only letters is found at the beginning of a word, or at the
 * beginning of a part of a name such as errorCondition. So "fault" does not find "default". A word with digits or
 * signs, such as a part of an identifier, is found anywhere.
 */
function patternOf(word: string): RegExp {
  if (!/^\p{L}+$/u.test(word)) return new RegExp(word.replaceAll(/[^\w\s]/g, '\\$&'), 'i');
  const letters = Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const [first, ...rest] = letters;
  const capital = word.charAt(0).toUpperCase();
  return new RegExp(`(?:(?<!\\p{L})${first}|(?<=\\p{Ll})${capital})${rest.join('')}`, 'u');
}
