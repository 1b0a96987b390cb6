import type { ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { transientScreens } from './transient-screens.ts';

/**
 * Returns the expectations at the end of a recording: the screens of the terminals, the reported outcomes, and the
 * money that moved.
 */
export function makeFinalExpectations(
  entries: readonly JournalEntry[],
  terminals: readonly { readonly state: ScreenState; readonly name: string | undefined }[],
): Record<string, unknown>[] {
  const screens = terminals
    .filter(({ state }) => !transientScreens.includes(state))
    .map(({ state, name }) => ({
      expect: { screen: state },
      ...(name === undefined ? {} : { terminal: name }),
    }));
  const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
  const always = ['ledger.authorized', 'ledger.declined', 'ledger.reversed'];
  const sometimes = ['ledger.captured', 'ledger.refunded', 'ledger.returned'].filter(
    (kind) => count(kind) > 0,
  );
  const journal = [...always, ...sometimes].map((kind) => ({ kind, times: count(kind) }));
  return [...screens, ...reportedOutcomes(entries), { expect: { journal } }];
}

/**
 * Returns expectations for the outcomes that webhooks received. If there are no webhooks, returns expectations for
 * the outcomes that were published.
 */
function reportedOutcomes(entries: readonly JournalEntry[]): Record<string, unknown>[] {
  const events = entries.filter((entry) => entry.kind === 'event.published');
  const names = findWebhookNamesById(entries);
  const taken = [...new Set(taking(entries).map(({ event, webhook }) => `${event} ${webhook}`))];
  const arrived = events.flatMap(({ data: { event, type } }) =>
    [...names].map(([id, webhook]) => ({ place: taken.indexOf(`${event} ${id}`), type, webhook })),
  );
  const came = inOrder(arrived, entries)
    .filter(({ place }) => place >= 0)
    .map(({ type, webhook }) => (names.size > 1 ? { type, webhook } : type));
  if (came.length > 0) return [{ expect: { webhooks: came } }];
  return events.length > 0 ? [{ expect: { events: events.map(({ data }) => data.type) } }] : [];
}

/**
 * Returns events in the order in which they arrived. This is also the order in which they were published, unless a
 * fault changed the order (B290).
 */
function inOrder<Arrived extends { place: number }>(
  all: Arrived[],
  entries: readonly JournalEntry[],
): Arrived[] {
  const asPublished = !entries.some(({ kind }) => kind === 'webhook.faulted');
  return asPublished ? all : all.toSorted((one, other) => one.place - other.place);
}

/**
 * Returns the webhooks that accepted a message. The keys are their ids, and the values are their names in the
 * scenario.
 */
export function findWebhookNamesById(entries: readonly JournalEntry[]): Map<string, string> {
  const name = (id: string, index: number) =>
    /^[a-z][a-z0-9-]{0,30}$/.test(id) ? id : `webhook-${index + 1}`;
  const ids = new Set(taking(entries).map(({ webhook }) => webhook));
  return new Map([...ids].map((id, index) => [id, name(id, index)]));
}

/** Returns the delivery attempts to which the receiver answered with a status 2xx. */
function taking(entries: readonly JournalEntry[]): JournalEntry<'webhook.attempted'>['data'][] {
  return entries.flatMap((entry) =>
    entry.kind === 'webhook.attempted' && Math.trunc((entry.data.status ?? 0) / 100) === 2
      ? [entry.data]
      : [],
  );
}
