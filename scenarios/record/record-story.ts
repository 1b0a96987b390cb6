import type { ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { asRecord, field, isKind, type PosRequest, readRequests } from '../requests/read-requests.ts';
import { type RecordedStep, Recording } from './recording.ts';
import { storyText } from './story-text.ts';
import { TerminalActs } from './terminal-acts.ts';
import { expectationOf, stepOfRequest, type TillNames } from './till-steps.ts';

export interface RecordOptions {
  readonly name: string;
  /** The terminals there are, as paths name them; those of accepted payments are found without. */
  readonly terminals?: readonly { poiId: string; identifier: string }[];
}

/**
 * What a person did at the terminals and a point of sale sent, as a story that does the same and expects what was
 * seen. Card numbers and PINs are in no journal, so in no recording.
 *
 * @example
 * writeFileSync('recorded.yaml', recordStory(stack.runtime.journal.since(), { name: 'What happened' }));
 */
export function recordStory(entries: readonly JournalEntry[], options: RecordOptions): string {
  const recorder = new StoryRecorder(entries, options);
  return storyText({ name: options.name, ...recorder.record() });
}

/** Screens that go away by themselves, sooner on one terminal than on another. */
const passing: readonly ScreenState[] = [
  'starting',
  'readingCard',
  'authorizing',
  'approved',
  'declined',
  'cancelled',
  'printing',
  'cardUnreadable',
  'cardNotAccepted',
  'pinWrong',
];

/** Control calls that a story can say; hands act through others too, and are seen at the terminal instead. */
const outcomePath = /^\/control\/terminals\/([^/]+)\/outcome$/;

class StoryRecorder {
  #entries: readonly JournalEntry[];
  #requests: Map<string, PosRequest>;
  #recording = new Recording();
  #terminals: Map<string, TerminalActs>;
  #poiIdOf: Map<string, string>;
  #named: { name: string; request: PosRequest }[] = [];
  #names: TillNames;

  constructor(entries: readonly JournalEntry[], { terminals = [] }: RecordOptions) {
    this.#entries = entries;
    this.#requests = new Map(readRequests(entries).map((request) => [request.requestId, request]));
    this.#poiIdOf = new Map(terminals.map(({ poiId, identifier }) => [identifier, poiId]));
    for (const entry of entries) this.#learn(entry);
    const poiIds = usedTerminals(entries, this.#requests, this.#poiIdOf);
    const name = (index: number) => (poiIds.length > 1 ? `terminal-${index + 1}` : undefined);
    this.#terminals = new Map(
      poiIds.map((poiId, index) => [poiId, new TerminalActs(poiId, name(index), entries, this.#recording)]),
    );
    this.#names = {
      terminal: ({ path }) => this.#terminals.get(this.#poiIdOf.get(terminalIn(path) ?? '') ?? '')?.name,
      sale: ({ key, payment }) => this.#saleOf(key, payment),
    };
  }

  record(): { needs: Record<string, unknown>; steps: RecordedStep[] } {
    for (const entry of this.#entries) this.#see(entry);
    this.#expectTheEnd();
    const names = [...this.#terminals.values()].flatMap(({ name }) => name ?? []);
    const accepted = this.#entries.find((entry) => isKind(entry, 'payment.accepted'));
    const currency = accepted && field<string>(accepted, 'currency');
    return {
      needs: {
        ...(currency && currency !== 'EUR' ? { currency } : {}),
        ...(names.length > 0 ? { terminals: names } : {}),
      },
      steps: this.#recording.steps,
    };
  }

  /** Which terminal an identifier in a path is. */
  #learn(entry: JournalEntry): void {
    if (!isKind(entry, 'payment.accepted') || entry.terminal === undefined) return;
    const identifier = terminalIn(this.#requests.get(entry.data.requestId)?.path ?? '');
    if (identifier !== undefined) this.#poiIdOf.set(identifier, entry.terminal);
  }

  #see(entry: JournalEntry): void {
    if (isKind(entry, 'http.received')) this.#received(entry);
    else if (isKind(entry, 'http.answered')) this.#answered(entry);
    else if (isKind(entry, 'http.hungUp')) this.#hungUp(entry);
    else if (isKind(entry, 'clock.advanced')) this.#recording.pass(entry.at, entry.data.byMs);
    else if (entry.terminal !== undefined) this.#terminals.get(entry.terminal)?.see(entry);
  }

  #received(entry: JournalEntry<'http.received'>): void {
    const request = this.#requests.get(entry.data.requestId);
    if (!request) return this.#outcomeSet(entry);
    const name = this.#nameOf(request);
    const { at } = entry;
    const earlier = request.key === undefined ? undefined : this.#saleOf(request.key, undefined);
    const step = stepOfRequest(request, this.#names);
    this.#named.push({ name, request });
    // With another amount it is a payment request of its own that happens to have the same key.
    const before = this.#named.find((one) => one.name === earlier)?.request;
    if (before && JSON.stringify(before.body) === JSON.stringify(request.body))
      this.#recording.add(at, { 'pay again': earlier, as: name });
    else this.#recording.add(at, { ...step, as: name });
  }

  #answered({ at, data }: JournalEntry<'http.answered'>): void {
    const one = this.#named.find(({ request }) => request.requestId === data.requestId);
    const expectation = one && expectationOf(one.request, one.name);
    if (expectation) this.#recording.add(at, expectation);
  }

  #hungUp({ at, data }: JournalEntry<'http.hungUp'>): void {
    const one = this.#named.find(({ request }) => request.requestId === data.requestId);
    if (one) this.#recording.add(at, { 'hang up': one.name });
  }

  /** What a test told the host to do with a terminal's next payment. */
  #outcomeSet({ at, data }: JournalEntry<'http.received'>): void {
    const identifier = outcomePath.exec(data.path)?.[1];
    if (identifier === undefined) return;
    const poiId = this.#poiIdOf.get(identifier) ?? identifier;
    const terminal = this.#terminals.get(poiId)?.name;
    const { outcome, mode } = asRecord(data.body);
    this.#recording.add(at, {
      host: data.method === 'DELETE' ? 'as usual' : moodOf(asRecord(outcome)),
      ...(mode === 'always' ? { always: true } : {}),
      ...(terminal === undefined ? {} : { terminal }),
    });
  }

  /** What stands on the terminals, and what money moved. */
  #expectTheEnd(): void {
    const at = this.#entries.at(-1)?.at ?? 0;
    for (const { state, name } of this.#terminals.values())
      if (!passing.includes(state))
        this.#recording.add(at, {
          expect: { screen: state },
          ...(name === undefined ? {} : { terminal: name }),
        });
    const journal = ['ledger.authorized', 'ledger.declined', 'ledger.reversed'].map((kind) => ({
      kind,
      times: this.#entries.filter((entry) => entry.kind === kind).length,
    }));
    this.#recording.add(at, { expect: { journal } });
  }

  /** The first request is `payment`, the next `payment-2`, and so on for each kind. */
  #nameOf({ kind }: PosRequest): string {
    const word = ({ payment: 'sale', other: 'request' } as Record<string, string>)[kind] ?? kind;
    const count = this.#named.filter(({ name }) => name === word || name.startsWith(`${word}-`)).length;
    return count === 0 ? word : `${word}-${count + 1}`;
  }

  #saleOf(key: string | undefined, payment: string | undefined): string | undefined {
    return this.#named.find(
      ({ request }) =>
        ['payment', 'charge', 'preauthorize'].includes(request.kind) &&
        ((key !== undefined && request.key === key) ||
          (payment !== undefined && request.payment === payment)),
    )?.name;
  }
}

function terminalIn(path: string): string | undefined {
  return /^\/terminals\/([^/]+)\//.exec(path)?.[1];
}

/** The terminals that something happened at, beside coming and going of their links. */
function usedTerminals(
  entries: readonly JournalEntry[],
  requests: ReadonlyMap<string, PosRequest>,
  poiIdOf: ReadonlyMap<string, string>,
): string[] {
  const acted = entries.flatMap((entry) =>
    /^(payment\.|terminal\.(key|card|power|network)$)/.test(entry.kind) ? (entry.terminal ?? []) : [],
  );
  const asked = [...requests.values()].flatMap(({ path }) => poiIdOf.get(terminalIn(path) ?? '') ?? []);
  return [...new Set([...acted, ...asked])];
}

function moodOf({ type, delayMs, ...rest }: Record<string, unknown>): unknown {
  if (type === 'late') return { late: `${delayMs} ms` };
  if (type === 'decline') return Object.keys(rest).length > 0 ? { declines: rest } : 'declines';
  const moods: Record<string, string> = {
    approve: 'approves',
    silent: 'silent',
    wrongPin: 'finds every PIN wrong',
  };
  return moods[String(type)] ?? 'as usual';
}
