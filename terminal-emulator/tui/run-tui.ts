import type { Clock } from '../../shared/clock.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { commandUnderMouse } from './canvas.ts';
import { carryOutEffect, notifyRefusal } from './carry-out-effect.ts';
import type { TuiCommand } from './command.ts';
import type { Keyboard } from './key-input.ts';
import { commandOfKey } from './key-map.ts';
import type { TuiPayment } from './payments.ts';
import { openScreen, type ScreenListeners, type ScreenOutput, type TuiScreen } from './screen.ts';
import type { TuiSource } from './source.ts';
import {
  findSelectedTerminalAndScreen,
  journalCapacity,
  makeInitialState,
  type Notice,
  readSourceState,
  refreshState,
  type TuiState,
  withJournal,
  withSales,
} from './state.ts';
import { applyTuiCommand } from './update.ts';
import { drawTui } from './view.ts';
import { readWindowTraits } from './window-traits.ts';

/**
 * The parts of `process` that the text UI uses: the function `exit`, and events such as signals. Some of these events
 * end the text UI.
 */
interface ProcessEvents {
  on(event: string, listener: (reason: unknown) => void): unknown;
  off(event: string, listener: (reason: unknown) => void): unknown;
  exit(code: number): void;
}

export interface TuiOptions {
  readonly input?: Keyboard;
  readonly output?: ScreenOutput;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /**
   * The clock that limits how often the screen is drawn. It measures real time, even if the terminals have a virtual
   * clock.
   */
  readonly clock: Clock;
  /** The shortest time between two pictures, in milliseconds. */
  readonly frameMs?: number;
  readonly process?: ProcessEvents;
  /** If this signal aborts, the program has nothing more to show. */
  readonly signal?: AbortSignal;
  /** Called with the text of the error that ended the program. */
  readonly complain?: (text: string) => void;
}

/**
 * Shows the terminals in the window until the user quits, the process has to end, or the window is closed. Then
 * restores the window. An uncaught error also restores the window. The error is then printed, and the process ends with
 * exit code 1.
 *
 * @example
 * await runTui(source, { clock: runtime.realClock });
 */
export async function runTui(source: TuiSource, options: TuiOptions): Promise<void> {
  const tui = new RunningTui(source, options);
  await tui.start();
  await tui.quit;
}

const ignore = () => {};

const endings = ['SIGTERM', 'SIGINT', 'SIGHUP'];

class RunningTui {
  readonly quit: Promise<void>;
  #source: TuiSource;
  #options: TuiOptions;
  #clock: Clock;
  #process: ProcessEvents;
  #input: Keyboard;
  #output: ScreenOutput;
  #screen: TuiScreen | undefined;
  #state: TuiState;
  #newEntries: JournalEntry[] = [];
  #changedSales = new Map<string, Sale>();
  #sourceChanged = false;
  #scheduled = false;
  #isOver = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #cleanups: (() => void)[] = [];
  #resolve: () => void = () => {};
  #effectScreen = {
    end: () => this.#end(),
    notify: (notice: Notice) => this.#change({ notice }),
    refresh: () => this.#refresh(),
    change: (changes: Partial<TuiState>) => this.#change(changes),
  };

  constructor(source: TuiSource, options: TuiOptions) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock;
    this.#process = options.process ?? process;
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.#state = makeInitialState(source, { columns: 80, rows: 24 }, true);
    this.quit = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async start(): Promise<void> {
    const { env = process.env, platform = process.platform } = this.#options;
    const traits = readWindowTraits(env, platform);
    this.#endWithProcess();
    const wedge = this.#source.wedge?.settings;
    const screen = await openScreen(
      { input: this.#input, output: this.#output, traits, clock: this.#clock, wedge },
      this.#listeners(),
    );
    if (this.#isOver) return screen.close();
    this.#screen = screen;
    this.#state = makeInitialState(this.#source, screen.size, traits.unicode);
    this.#newEntries = this.#source.journal.since(0).slice(-journalCapacity);
    this.#cleanups.push(
      this.#source.journal.listen((entry) => {
        this.#newEntries.push(entry);
        this.#schedule();
      }),
      this.#source.onChange(() => this.#refresh()),
      this.#source.onSale((sale) => this.#noteSale(sale)),
    );
    const stopNews = this.#source.onMessage?.((text) => this.#change({ notice: { tone: 'neutral', text } }));
    if (stopNews) this.#cleanups.push(stopNews);
    const stopFindings = this.#source.onFindingWithoutSale?.((what) =>
      this.#change({ notice: { tone: 'error', text: what, passing: true } }),
    );
    if (stopFindings) this.#cleanups.push(stopFindings);
    this.#draw();
    this.#addWhenRead('Earlier sales', this.#source.sales(), (sales) => this.#addEarlierSales(sales));
    this.#addWhenRead('Earlier payments', this.#source.earlier?.(), (all) => this.#addEarlierPayments(all));
    if (this.#options.signal?.aborted) this.#end();
  }

  #addWhenRead<Data>(what: string, reading: Promise<Data> | undefined, add: (data: Data) => void): void {
    reading?.then(add).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      this.#change({ notice: { tone: 'error', text: `${what} cannot be read: ${why}` } });
    });
  }

  #noteSale(sale: Sale): void {
    this.#changedSales.set(sale.saleId, sale);
    this.#schedule();
  }

  /**
   * Adds sales from before this process started. A sale that this process already knows is left unchanged, because its
   * state is newer.
   */
  #addEarlierSales(earlier: readonly Sale[]): void {
    const known = new Set([...this.#state.sales.map(({ saleId }) => saleId), ...this.#changedSales.keys()]);
    for (const sale of earlier) if (!known.has(sale.saleId)) this.#noteSale(sale);
  }

  /**
   * Adds payments from before this process started. A payment that is also in the journal stays as it is in the
   * journal.
   */
  #addEarlierPayments(earlier: readonly TuiPayment[]): void {
    this.#state = withJournal(this.#state, this.#newEntries.splice(0));
    const known = new Set(this.#state.payments.map(({ id }) => id));
    const payments = [...earlier.filter(({ id }) => !known.has(id)), ...this.#state.payments];
    this.#state = { ...this.#state, payments };
    this.#schedule();
  }

  /** Makes sure that the window is restored in every case in which the text UI ends. */
  #endWithProcess(): void {
    const end = () => this.#end();
    const crash = (error: unknown) => {
      this.#end();
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      (this.#options.complain ?? console.error)(text);
      this.#process.exit(1);
    };
    // When a signal arrives, blessed handles it in the same turn of the event loop. So the text UI ends only in the
    // next turn. Without the listener `signalled`, blessed would exit before all output is written.
    const signalled = () => setImmediate(end);
    for (const signal of endings) this.#process.on(signal, signalled);
    this.#process.on('uncaughtException', crash);
    this.#input.on('end', end);
    for (const stream of [this.#input, this.#output]) {
      stream.on('error', end);
      // A window that was closed cannot be restored. The attempt to restore it causes an error (EIO), which arrives
      // after the text UI has ended. So this error is ignored.
      stream.off('error', ignore).on('error', ignore);
    }
    this.#options.signal?.addEventListener('abort', end);
    this.#cleanups.push(() => {
      this.#options.signal?.removeEventListener('abort', end);
      for (const signal of endings) this.#process.off(signal, signalled);
      this.#process.off('uncaughtException', crash);
      this.#input.off('end', end);
      for (const stream of [this.#input, this.#output]) stream.off('error', end);
    });
  }

  #listeners(): ScreenListeners {
    return {
      key: (key) => {
        this.#readSource();
        const command = commandOfKey(this.#state, key);
        if (command) this.#perform(command);
      },
      mouse: ({ action, x, y }) => {
        this.#readSource();
        const command = commandUnderMouse(drawTui(this.#state), action, x, y);
        if (command) this.#perform(command);
      },
      resize: (size) => {
        this.#state = { ...this.#state, size };
        this.#draw();
      },
      swipe: (tracks) => this.#swipe(tracks),
      takesNumber: () => this.#takesNumber(),
    };
  }

  #takesNumber(): boolean {
    this.#readSource();
    const asked = findSelectedTerminalAndScreen(this.#state)?.screen.state;
    const isKeyedEntry = asked === 'keyedNumber' || asked === 'keyedExpiry';
    return isKeyedEntry && commandOfKey(this.#state, { name: '0', text: '0' })?.do === 'press';
  }

  /** Swipes a card on the terminal in view, even if an overlay is open. */
  #swipe(tracks: string): void {
    this.#readSource();
    const terminal = findSelectedTerminalAndScreen(this.#state)?.terminal;
    if (!terminal) return notifyRefusal(this.#effectScreen, { message: 'No terminal to swipe a card on' });
    this.#state = { ...this.#state, notice: undefined };
    const message = this.#source.wedge?.swipe(terminal.poiId, tracks);
    notifyRefusal(this.#effectScreen, message === undefined ? undefined : { message });
    this.#refresh();
  }

  #perform(command: TuiCommand): void {
    const { state, effect } = applyTuiCommand(this.#state, command);
    const otherTerminal = state.terminal !== this.#state.terminal;
    this.#state = state;
    if (effect) carryOutEffect(this.#source, effect, this.#effectScreen);
    if (effect || otherTerminal) this.#refresh();
    this.#schedule();
  }

  #change(changes: Partial<TuiState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#schedule();
  }

  #refresh(): void {
    this.#sourceChanged = true;
    this.#schedule();
  }

  /**
   * Draws the screen soon. The time between two pictures is at least `frameMs`, because a person would not notice more
   * frequent pictures.
   */
  #schedule(): void {
    if (this.#scheduled || !this.#screen) return;
    this.#scheduled = true;
    const waitMs = this.#drawnAt + (this.#options.frameMs ?? 30) - this.#clock.monotonic();
    if (waitMs <= 0) setImmediate(() => this.#draw());
    else this.#clock.setTimeout(() => this.#draw(), waitMs);
  }

  #draw(): void {
    this.#scheduled = false;
    if (!this.#screen) return;
    this.#drawnAt = this.#clock.monotonic();
    this.#readSource();
    this.#state = withJournal(this.#state, this.#newEntries);
    this.#newEntries = [];
    this.#state = withSales(this.#state, [...this.#changedSales.values()]);
    this.#changedSales.clear();
    this.#screen.draw(drawTui(this.#state));
  }

  /**
   * Reads the source (the data that the text UI shows) again if it has changed. This is done before each key, because
   * the meaning of a key depends on the terminal's present screen. The picture in the window may be older than this
   * screen.
   */
  #readSource(): void {
    if (!this.#sourceChanged) return;
    this.#sourceChanged = false;
    this.#state = refreshState(this.#state, readSourceState(this.#source, this.#state.terminal));
  }

  #end(): void {
    this.#isOver = true;
    for (const stop of this.#cleanups.splice(0)) stop();
    this.#screen?.close();
    this.#screen = undefined;
    this.#resolve();
  }
}
