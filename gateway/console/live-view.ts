import type { TimerHandle } from '../../shared/clock.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { JournalReader } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Emulators } from '../control/emulators.ts';
import type { Answer, StreamWriter } from '../http/endpoint.ts';
import type { ParkableCall } from '../http/parked.ts';

/**
 * The time in ms between two messages to a browser. A person does not notice so short a delay. Under load, one message
 * has several entries.
 */
const sendEveryMs = 60;
/**
 * The maximum number of entries that wait for a browser. By default the journal also keeps this number of entries. If
 * more entries wait, the oldest of them are left out.
 */
const mostWaiting = 10_000;
const mostAtOnce = 250;

interface LiveParts {
  runtime: Runtime;
  journal: JournalReader;
  emulators: Emulators;
  /** The identifier of this run of the gateway. In each run the entries start at number 1. */
  run: string;
}

interface Since {
  run?: string;
  since: number;
}

/**
 * Streams new journal entries and the screens of terminals to a console. If a browser reads too slowly, the oldest
 * entries are left out, and the browser learns how many entries were left out.
 */
export function makeConsoleStreamAnswer(parts: LiveParts, from: Since, call: ParkableCall): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
    stream: async (output, signal) => {
      const view = new LiveView(parts, output, from);
      signal.addEventListener('abort', () => view.end(), { once: true });
      await view.begin(call);
      await view.ended;
    },
  };
}

class LiveView {
  #parts: LiveParts;
  #output: StreamWriter;
  #last: number;
  #screens = new Map<string, Screen>();
  #stopFunctions: (() => void)[] = [];
  #timer: TimerHandle;
  #beatTimer: TimerHandle;
  #sending = false;
  #isOver = false;
  readonly #ending = Promise.withResolvers<void>();
  readonly ended = this.#ending.promise;

  constructor(parts: LiveParts, output: StreamWriter, { run, since }: Since) {
    this.#parts = parts;
    this.#output = output;
    this.#last = run === parts.run ? since : 0;
  }

  async begin(call: ParkableCall): Promise<void> {
    const { emulators, run, runtime, journal } = this.#parts;
    this.#send('hello', { run, virtual: runtime.clock.virtual, beatMs: runtime.timeouts.heartbeatMs });
    await journal.complete();
    if (this.#isOver) return;
    this.#stopFunctions.push(
      journal.texts.read(),
      journal.listen(() => this.#flushSoon()),
      emulators.watch((poiId, screen) => {
        this.#screens.set(poiId, screen);
        this.#flushSoon();
      }),
    );
    await emulators.bringUpToDate();
    for (const poiId of emulators.hostedTerminals()) {
      const screen = await emulators.lastScreenOf(poiId, call);
      if (screen) this.#screens.set(poiId, screen);
    }
    await this.#flush();
    this.#beat();
  }

  end(): void {
    this.#isOver = true;
    const { realClock } = this.#parts.runtime;
    realClock.clearTimeout(this.#timer);
    realClock.clearTimeout(this.#beatTimer);
    for (const stop of this.#stopFunctions) stop();
    this.#ending.resolve();
  }

  #flushSoon(): void {
    if (this.#isOver || this.#sending) return;
    this.#timer ??= this.#parts.runtime.realClock.setTimeout(() => void this.#flush(), sendEveryMs);
  }

  /**
   * Sends the waiting entries in messages. Each message is made only after the browser has received the previous
   * message.
   */
  async #flush(): Promise<void> {
    this.#timer = undefined;
    this.#sending = true;
    while (!this.#isOver && (this.#screens.size > 0 || this.#isBehind())) {
      const waiting = this.#parts.journal.since(this.#last);
      const skipped = Math.max(0, waiting.length - mostWaiting);
      const taken = waiting.slice(skipped, skipped + mostAtOnce);
      this.#last = taken.at(-1)?.seq ?? this.#last;
      const screens = Object.fromEntries(this.#screens);
      this.#screens.clear();
      // The journal keeps the text of each entry. So if there are several views, the text is still made only once.
      const entries = taken.map((entry) => this.#parts.journal.texts.of(entry)).join(',');
      const others = JSON.stringify({ skipped, screens, hosted: this.#parts.emulators.hostedTerminals() });
      this.#sendText('batch', `{"entries":[${entries}],${others.slice(1)}`);
      await this.#output.drained();
    }
    this.#sending = false;
  }

  #isBehind(): boolean {
    return (this.#parts.journal.latest?.seq ?? 0) > this.#last;
  }

  /**
   * Sends a message at intervals. If a gateway disappears without closing the stream, these messages stop, and so the
   * browser notices that the gateway is gone.
   */
  #beat(): void {
    if (this.#isOver) return;
    const { realClock, timeouts, clock } = this.#parts.runtime;
    this.#send('beat', { now: clock.now(), hosted: this.#parts.emulators.hostedTerminals() });
    this.#beatTimer = realClock.setTimeout(() => this.#beat(), timeouts.heartbeatMs);
  }

  #send(event: string, data: unknown): void {
    this.#sendText(event, JSON.stringify(data));
  }

  #sendText(event: string, json: string): void {
    this.#output.write(`event: ${event}\ndata: ${json}\n\n`);
  }
}
