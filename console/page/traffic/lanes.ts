import type { JournalEntry, JournalKind } from '../../../shared/journal.ts';
import { readEntryField } from '../../../shared/journal-fields.ts';
import { isControlPath } from '../../../terminal-emulator/tui/journal-lines.ts';

/** The lanes from left to right. A message goes from a lane to a neighbouring lane, unless it belongs to a webhook. */
export const lanes = ['webhooks', 'pos', 'gateway', 'terminal', 'issuer'] as const;
export type TrafficLane = (typeof lanes)[number];

export const laneTitles: Record<TrafficLane, string> = {
  webhooks: 'Webhooks',
  pos: 'POS',
  gateway: 'Gateway',
  terminal: 'Terminal',
  issuer: 'Acquirer & issuer',
};

/** The lanes of an entry. A message goes from one lane to another; any other entry is in one lane. */
interface Way {
  readonly from: TrafficLane;
  readonly to: TrafficLane;
}

const between = (from: TrafficLane, to: TrafficLane): Way => ({ from, to });
const inside = (lane: TrafficLane): Way => ({ from: lane, to: lane });

/**
 * The kinds of entries that are messages, with their lanes. The lane of any other entry depends on the first part of
 * its kind.
 */
const ways: Partial<Record<JournalKind, (entry: JournalEntry) => Way>> = {
  'http.received': (entry) => (isOperatorRequest(entry) ? inside('gateway') : between('pos', 'gateway')),
  'http.answered': (entry) => (isOperatorRequest(entry) ? inside('gateway') : between('gateway', 'pos')),
  'http.sent': (entry) => (isOperatorRequest(entry) ? inside('gateway') : between('gateway', 'pos')),
  'http.hungUp': (entry) => (isOperatorRequest(entry) ? inside('gateway') : between('pos', 'gateway')),
  'fault.injected': () => between('gateway', 'pos'),
  'message.sent': (entry) => between(isHosts(entry) ? 'issuer' : 'gateway', 'terminal'),
  'message.received': (entry) => between('terminal', isHosts(entry) ? 'issuer' : 'gateway'),
  'link.opened': () => between('terminal', 'gateway'),
  'link.closed': () => between('terminal', 'gateway'),
  'webhook.attempted': () => between('gateway', 'webhooks'),
  'webhook.probed': () => between('gateway', 'webhooks'),
};

const families: Record<string, TrafficLane> = {
  ledger: 'issuer',
  terminal: 'terminal',
  reader: 'terminal',
  webhook: 'webhooks',
};

/** Returns the lanes of an entry. */
export function lanesOfEntry(entry: JournalEntry): Way {
  const way = ways[entry.kind];
  if (way) return way(entry);
  if (entry.kind === 'warning' && entry.terminal !== undefined) return inside('terminal');
  return inside(families[entry.kind.split('.')[0] ?? ''] ?? 'gateway');
}

/**
 * Whether an entry concerns the acquirer's host. Messages of the host are drawn between the terminal and the issuer,
 * although the host is a part of the gateway.
 */
function isHosts(entry: JournalEntry): boolean {
  return String(readEntryField(entry, 'message')).startsWith('Acquirer');
}

export function isOperatorRequest(entry: JournalEntry): boolean {
  return isControlPath(String(readEntryField(entry, 'path')));
}
