import { isoTime } from '../../../shared/clock.ts';
import {
  describeAnswer,
  describeNexoMessage,
  describeRequest,
  shortenUuids,
} from '../../../shared/exchange-words.ts';
import type { JournalEntry, JournalKind } from '../../../shared/journal.ts';
import { readEntryField } from '../../../shared/journal-fields.ts';
import { memoizeByObject } from '../../../shared/memoize-recent.ts';
import { makeJournalLine } from '../../../terminal-emulator/tui/journal-lines.ts';
import { isOperatorRequest, lanes, lanesOfEntry, laneTitles, type TrafficLane } from './lanes.ts';

/** An entry as a line of the lanes. */
export interface EntryInLanes {
  readonly entry: JournalEntry;
  readonly from: TrafficLane;
  readonly to: TrafficLane;
  /** The leftmost lane, counted from 0, and the number of lanes. */
  readonly start: number;
  readonly span: number;
  readonly direction: 'left' | 'right' | 'note';
  readonly label: string;
  readonly time: string;
  readonly tone: 'neutral' | 'success' | 'error' | 'warning';
  /** Whether the connection broke. */
  readonly broken: boolean;
  readonly smallPrint: boolean;
}

const brokenKinds: JournalKind[] = ['http.hungUp', 'link.closed', 'fault.injected'];
/**
 * The kinds of entries that the traffic view never hides as details. The list on a terminal's screen hides some of
 * these entries.
 */
const alwaysShown = /^(message\.|ledger\.|webhook\.|event\.|terminal\.key$)/;

export const placeEntryInLanes = memoizeByObject((entry: JournalEntry): EntryInLanes => {
  const { from, to } = lanesOfEntry(entry);
  const [start, end] = [lanes.indexOf(from), lanes.indexOf(to)];
  const { tone, detail } = makeJournalLine(entry);
  return {
    entry,
    from,
    to,
    start: Math.min(start, end),
    span: Math.abs(end - start) + 1,
    direction: start === end ? 'note' : start < end ? 'right' : 'left',
    label: labelOf(entry),
    time: timeOfDayText(entry.at),
    tone,
    broken: brokenKinds.includes(entry.kind),
    smallPrint:
      isOperatorRequest(entry) ||
      entry.kind === 'control.changed' ||
      (detail && !alwaysShown.test(entry.kind)),
  };
});

/**
 * Returns the text that distinguishes an entry from other entries of its kind. The text does not name the sender and
 * the receiver, because the lanes show them (B265).
 */
function labelOf(entry: JournalEntry): string {
  const by = isOperatorRequest(entry) ? 'Test: ' : '';
  switch (entry.kind) {
    case 'http.received':
      return `${by}${describeRequest(entry.data, '…')}`;
    case 'http.answered':
      return `${by}${describeAnswer(entry.data, '…')}`;
    case 'message.sent':
    case 'message.received':
      return describeNexoMessage(entry.data);
    case 'terminal.screen': {
      const { title, state, amount, lines = [], choices = [] } = entry.data;
      return `Shows ${[title || state, amount, ...lines, ...choices].filter(Boolean).join(' · ')}`;
    }
    default:
      return makeJournalLine(entry).text;
  }
}

/** Returns the sender and the receiver of an entry in words, for users who do not see the lanes. */
export function senderAndReceiverText({ from, to }: EntryInLanes): string {
  return from === to ? laneTitles[from] : `${laneTitles[from]} to ${laneTitles[to]}`;
}

/** Replaces each UUID in a text by `…` and the last four characters of the UUID. */
export const withShortIds = (text: string) => shortenUuids(text, '…');

/** Returns the time of day on the gateway's clock, with milliseconds. */
export function timeOfDayText(at: number): string {
  return isoTime(at).slice(11, 23);
}

/** Returns the text in which a search looks for words: everything in an entry including the body, in lower case. */
export const entrySearchText = memoizeByObject((entry: JournalEntry) => {
  const { kind, terminal, payment, data } = entry;
  return [placeEntryInLanes(entry).label, kind, terminal, payment, JSON.stringify(data)]
    .join(' ')
    .toLowerCase();
});

/** Returns the reason that an entry gives, in words. */
export function whyOf(entry: JournalEntry): string | undefined {
  const why =
    readEntryField(entry, 'why') ?? readEntryField(entry, 'rule') ?? readEntryField(entry, 'reason');
  return typeof why === 'string' && why !== '' ? why : undefined;
}
