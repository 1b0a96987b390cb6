import type { LiveTerminal, Store } from '../../client/openapi-types.ts';
import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { CardSummary } from '../../shared/emulator/cards.ts';
import type { PrintedReceipt } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { type ControlError, callControl, encodePath } from './control.ts';
import { type LastPaymentState, nextLastPaymentState } from './last-payment-state.ts';
import { type LiveBatch, LiveStream } from './live.ts';
import { Observable } from './observable.ts';
import { TrafficLog } from './traffic/traffic-log.ts';

/** The features of this gateway's console beyond the control API. */
interface Offers {
  readonly sell: boolean;
  readonly wedge: { readonly prefix: string; readonly suffix: string } | null;
  /** Whether the rules of `pinpad lint` check what the point of sale sends. */
  readonly findings: boolean;
  readonly record: boolean;
  readonly scenarios: boolean;
  /** Whether the console can show the results of `pinpad explore`. */
  readonly explorations: boolean;
  /** Whether journal entries can be shown as steps of a scenario. */
  readonly steps: boolean;
}

/** The pattern in which a terminal's network goes down and comes back. */
export type TerminalFlapping = JournalEntry<'terminal.flapping'>['data'];

type Connection = 'connecting' | 'live' | 'lost' | 'signedOut';

/**
 * After an event, the console waits this long before it reads the affected data again. So it reads them only once
 * after many events in quick succession.
 */
const settleMs = 250;

/** Everything that the console shows, kept up to date by one stream of events from the gateway. */
export class ConsoleStore extends Observable {
  readonly log = new TrafficLog();
  readonly clock: Clock;
  connection: Connection = 'connecting';
  /** Whether the gateway was restarted after the page was opened. The data from before the restart are gone. */
  restarted = false;
  virtualClock = false;
  terminals: readonly LiveTerminal[] = [];
  cards: readonly CardSummary[] = [];
  offers: Offers = {
    sell: false,
    wedge: null,
    findings: false,
    record: false,
    scenarios: false,
    explorations: false,
    steps: false,
  };
  #screens = new Map<string, Screen>();
  #hosted = new Set<string>();
  #receipts = new Map<string, readonly PrintedReceipt[]>();
  #outcomes = new Map<string, LastPaymentState | undefined>();
  #cables = new Map<string, boolean>();
  #latencies = new Map<string, number>();
  #flapping = new Map<string, TerminalFlapping>();
  #stores = new Map<string, string>();
  #payments = new Map<string, string>();
  #entryListeners = new Set<(entry: JournalEntry) => void>();
  #live: LiveStream;
  #run = '';
  #stale = new Set<() => Promise<void>>();
  #timer: TimerHandle;

  constructor(clock: Clock) {
    super();
    this.clock = clock;
    this.#live = new LiveStream(clock, {
      connected: ({ run, virtual }) => this.#connected(run, virtual),
      batch: (batch) => this.#took(batch),
      hosted: (poiIds) => this.#hosts(poiIds),
      lost: () => void this.#lost(),
    });
  }

  /** Calls `listener` with every new entry, until the returned function is called. */
  onEntry(listener: (entry: JournalEntry) => void): () => void {
    this.#entryListeners.add(listener);
    return () => this.#entryListeners.delete(listener);
  }

  open(): void {
    this.#live.open();
  }

  close(): void {
    this.#live.close();
  }

  screen(poiId: string): Screen | undefined {
    return this.#hosted.has(poiId) ? this.#screens.get(poiId) : undefined;
  }

  receipts(poiId: string): readonly PrintedReceipt[] {
    return this.#receipts.get(poiId) ?? [];
  }

  /** Returns the latest payment that was sent to the terminal. */
  latestPayment(poiId: string): string | undefined {
    return this.#payments.get(poiId);
  }

  lastOutcome(poiId: string): LastPaymentState | undefined {
    return this.#outcomes.get(poiId);
  }

  /** Whether the network cable is plugged in. (The lamp shows whether the terminal reaches the gateway.) */
  cableIn(poiId: string): boolean {
    return this.#cables.get(poiId) ?? true;
  }

  /** Returns the delay of every message of the terminal, in each direction; 0 if its network is not slowed down. */
  latencyMs(poiId: string): number {
    return this.#latencies.get(poiId) ?? 0;
  }

  /**
   * Returns the pattern in which the terminal's network goes down and comes back; undefined if there is no pattern.
   */
  flapping(poiId: string): TerminalFlapping | undefined {
    return this.#flapping.get(poiId);
  }

  /** Returns the name of the terminal's store, which the terminal's screen shows. */
  storeOf(poiId: string): string {
    const storeId = this.terminals.find((terminal) => terminal.poiId === poiId)?.storeId;
    return this.#stores.get(storeId ?? '') ?? '';
  }

  /**
   * Returns the terminals that an emulator hosts now, in the order of the gateway's list. A user of this page can act
   * only at these terminals.
   */
  get usable(): readonly LiveTerminal[] {
    return this.terminals.filter(({ poiId }) => this.#hosted.has(poiId));
  }

  signedOut(): void {
    this.#live.close();
    this.connection = 'signedOut';
    this.changed();
  }

  #connected(run: string, virtual: boolean): void {
    if (this.#run !== '' && run !== this.#run) {
      this.restarted = true;
      this.log.clear();
      this.#screens.clear();
      this.#payments.clear();
      this.#outcomes.clear();
      this.#receipts.clear();
      this.#cables.clear();
      this.#latencies.clear();
      this.#flapping.clear();
    }
    this.#run = run;
    this.virtualClock = virtual;
    this.connection = 'live';
    this.#readSoon(this.#readTerminals, this.#readCards, this.#readOffers);
    this.changed();
  }

  #took({ entries, skipped, screens, hosted }: LiveBatch): void {
    this.log.add(entries, skipped);
    for (const [poiId, screen] of Object.entries(screens)) this.#screens.set(poiId, screen);
    for (const entry of entries) this.#note(entry);
    this.#hosts(hosted);
    this.changed();
  }

  #note(entry: JournalEntry): void {
    for (const listener of this.#entryListeners) listener(entry);
    const { terminal } = entry;
    if (entry.kind === 'control.changed') this.#readSoon(this.#readTerminals, this.#readCards);
    if (terminal === undefined) return;
    if (entry.kind === 'terminal.network') this.#cables.set(terminal, entry.data.up);
    if (entry.kind === 'terminal.flapping') this.#noteFlapping(terminal, entry.data);
    if (entry.kind === 'terminal.latency') this.#latencies.set(terminal, entry.data.latencyMs);
    if (entry.kind === 'terminal.printed') this.#readSoon(this.#receiptReader(terminal));
    if (entry.kind === 'payment.accepted' && entry.payment) this.#payments.set(terminal, entry.payment);
    this.#outcomes.set(terminal, nextLastPaymentState(entry, this.#outcomes.get(terminal)));
    if (entry.kind === 'payment.concluded') this.#readSoon(this.#readCards); // wrong PINs may have blocked a card
  }

  #noteFlapping(terminal: string, flapping: TerminalFlapping): void {
    if (flapping.times === 0) this.#flapping.delete(terminal);
    else this.#flapping.set(terminal, flapping);
  }

  #hosts(poiIds: readonly string[]): void {
    const fresh = poiIds.filter((poiId) => !this.#hosted.has(poiId));
    if (fresh.length === 0 && poiIds.length === this.#hosted.size) return;
    this.#hosted = new Set(poiIds);
    this.#readSoon(this.#readTerminals, this.#readCards, ...fresh.map((poiId) => this.#receiptReader(poiId)));
    this.changed();
  }

  async #lost(): Promise<void> {
    this.connection = 'lost';
    this.changed();
    await callControl('GET', '').catch((error: ControlError) => {
      if (error.status === 401) this.signedOut();
    });
  }

  #readSoon(...readers: (() => Promise<void>)[]): void {
    for (const reader of readers) this.#stale.add(reader);
    this.#timer ??= this.clock.setTimeout(() => {
      this.#timer = undefined;
      const readers = [...this.#stale];
      this.#stale.clear();
      // Data that cannot be read now are read after the connection to the gateway is up again.
      void Promise.allSettled(readers.map((reader) => reader())).then(() => this.changed());
    }, settleMs);
  }

  #readTerminals = async () => {
    const stores = await callControl<Store[]>('GET', '/stores');
    this.#stores = new Map(stores.map(({ id, name }) => [id, name]));
    this.terminals = await callControl<LiveTerminal[]>('GET', '/terminals');
  };

  #readCards = async () => {
    this.cards = await callControl<CardSummary[]>('GET', '/cards').catch(() => []);
  };

  #readOffers = async () => {
    this.offers = await callControl<Offers>('GET', '/console/offers');
  };

  #receiptReaders = new Map<string, () => Promise<void>>();

  #receiptReader(poiId: string): () => Promise<void> {
    let reader = this.#receiptReaders.get(poiId);
    if (!reader) {
      reader = async () => {
        this.#receipts.set(poiId, await callControl('GET', encodePath`/terminals/${poiId}/receipts`));
      };
      this.#receiptReaders.set(poiId, reader);
    }
    return reader;
  }
}
