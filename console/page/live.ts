import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';

/** New entries and changes that the gateway sends together. */
export interface LiveBatch {
  readonly entries: readonly JournalEntry[];
  /** How many entries were left out because the page was too slow. */
  readonly skipped: number;
  readonly screens: Readonly<Record<string, Screen>>;
  /** The terminals that an emulator hosts now. */
  readonly hosted: readonly string[];
}

interface LiveListeners {
  connected(hello: { run: string; virtual: boolean }): void;
  batch(batch: LiveBatch): void;
  hosted(poiIds: readonly string[]): void;
  lost(): void;
}

const retryMs = 1_000;
/**
 * A page that is hidden for this long closes its connection. The reason is that a browser allows only six connections
 * to each gateway.
 */
const hiddenMs = 60_000;

/**
 * Reads the entries and changes that a gateway sends. If the connection breaks, connects again and continues at the
 * place where the connection broke.
 */
export class LiveStream {
  #clock: Clock;
  #listeners: LiveListeners;
  #source: EventSource | undefined;
  #run = '';
  #last = 0;
  #retry: TimerHandle;
  #hidden: TimerHandle;
  #silence: TimerHandle;

  constructor(clock: Clock, listeners: LiveListeners) {
    this.#clock = clock;
    this.#listeners = listeners;
  }

  open(): void {
    document.addEventListener('visibilitychange', this.#seen);
    this.#connect();
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#seen);
    this.#clock.clearTimeout(this.#hidden);
    this.#end();
  }

  #seen = () => {
    this.#clock.clearTimeout(this.#hidden);
    if (document.hidden) this.#hidden = this.#clock.setTimeout(() => this.#end(), hiddenMs);
    else if (!this.#source) this.#connect();
  };

  #end(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#clock.clearTimeout(this.#retry);
    this.#clock.clearTimeout(this.#silence);
  }

  #connect(): void {
    this.#end();
    const source = new EventSource(`/control/console/live?run=${this.#run}&since=${this.#last}`);
    this.#source = source;
    let beatMs = 0;
    const on = <Data>(name: string, take: (data: Data) => void) =>
      source.addEventListener(name, ({ data }) => {
        this.#clock.clearTimeout(this.#silence);
        this.#silence = beatMs && this.#clock.setTimeout(() => this.#broke(), 3 * beatMs);
        take(JSON.parse(data) as Data);
      });
    on<{ run: string; virtual: boolean; beatMs: number }>('hello', (hello) => {
      beatMs = hello.beatMs;
      if (hello.run !== this.#run) this.#last = 0;
      this.#run = hello.run;
      this.#listeners.connected(hello);
    });
    on<LiveBatch>('batch', (batch) => {
      this.#last = batch.entries.at(-1)?.seq ?? this.#last;
      this.#listeners.batch(batch);
    });
    on<{ hosted: string[] }>('beat', ({ hosted }) => this.#listeners.hosted(hosted));
    source.onerror = () => this.#broke();
  }

  #broke(): void {
    this.#end();
    this.#listeners.lost();
    this.#retry = this.#clock.setTimeout(() => this.#connect(), retryMs);
  }
}
