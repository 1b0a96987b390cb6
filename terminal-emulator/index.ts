import { type TestCardDefinition, testCardSchema } from '../shared/emulator/cards.ts';
import type { AutomaticShopperSettings } from '../shared/emulator/frames.ts';
import { makeCannotKeepDataError } from '../shared/file-fault.ts';
import { MomentPlans } from '../shared/moment-plans.ts';
import type { Runtime } from '../shared/runtime.ts';
import { StartError } from '../shared/start-error.ts';
import { SharedLinkDialer } from '../shared/transport/shared-link-dialer.ts';
import { CardCatalogue } from './cards/catalogue.ts';
import { defaultCards } from './cards/default-cards.ts';
import { naturalPacing, type Pacing } from './payment/pacing.ts';
import type { AttachedReader } from './readers/attached-reader.ts';
import type { ReaderEmulator } from './readers/emulators/run-emulator.ts';
import { DialQueue } from './terminal/dial-queue.ts';
import { EmulatorLink } from './terminal/emulator-link.ts';
import { Heartbeat } from './terminal/heartbeat.ts';
import { TerminalMemory } from './terminal/memory.ts';
import { EmulatedTerminal } from './terminal/terminal.ts';
import type { TerminalSettings } from './terminal/terminal-settings.ts';

export { instantPacing, naturalPacing } from './payment/pacing.ts';
export type { AttachedReader } from './readers/attached-reader.ts';
export { connectReader } from './readers/connect-reader.ts';
export type { EmulatedReaderOptions } from './readers/emulators/emulated-reader.ts';
export type { EmulatedReaderAddress } from './readers/emulators/emulator-line.ts';
export type { ListedPcscReader } from './readers/pcsc/list-pcsc-readers.ts';
export type { ListedReaderPort } from './readers/probe.ts';
export { unreadableCardId } from './readers/reader-card.ts';
export type { ReaderEntryMode } from './readers/reader-driver.ts';
export { readerDriverNames, readerOptionText, silentPortDriver } from './readers/reader-drivers.ts';
export { readerRulesSchema } from './readers/reader-rules.ts';
export {
  describeReaderAddress,
  describeReaderSpec,
  parseReaderAddress,
  parseReaderSpec,
  type ReaderSpec,
  ReaderSpecError,
} from './readers/reader-spec.ts';
export { wedgeSettingsSchema } from './readers/wedge/wedge-settings.ts';
export { presentWedgeSwipe } from './readers/wedge/wedge-swipe.ts';
export { EmulatedTerminal } from './terminal/terminal.ts';
export { TerminalsTakenError } from './terminal/terminal-ownership-lock.ts';
export type { TerminalSettings } from './terminal/terminal-settings.ts';
export { isControlPath, makeJournalLine } from './tui/journal-lines.ts';
export type { TuiPayment } from './tui/payments.ts';
export type {
  ActiveTrouble,
  OfferedTrouble,
  PaymentExplanation,
  TroubleMode,
  TuiRecorder,
  TuiSource,
  TuiWedge,
} from './tui/source.ts';
export { canShowTui } from './tui/window-traits.ts';
export { CardCatalogue, defaultCards };

export interface EmulatorOptions {
  /** The address of the gateway, such as http://127.0.0.1:8080. */
  gatewayUrl: string;
  terminals: readonly TerminalSettings[];
  /** Further cards for the tray. A further card replaces a card in the tray that has the same id. */
  cards?: readonly TestCardDefinition[];
  /**
   * The file that serves as the terminals' flash memory. With the default, `:memory:`, everything is forgotten when the
   * process ends. Other processes may use the same file for other terminals.
   */
  memory?: string;
  pacing?: Pacing;
  /** Sends this process's journal to the gateway. Set this option if the emulator runs in a process of its own. */
  forwardJournal?: boolean;
  /** The automatic shopper that every terminal has from the start. */
  shopper?: AutomaticShopperSettings;
  /**
   * If false, the emulator does not connect to /emulator, so the control API does not see these terminals. Then only
   * an automatic shopper, or a call in this process, can press their keys and present cards. Under load, this setting
   * saves one message for each new screen.
   */
  remoteControl?: boolean;
  /** If true, every terminal has a socket of its own. Otherwise several terminals share one. */
  ownLinks?: boolean;
}

/** The terminals of one process, and the cards in its tray. */
export interface Emulator {
  readonly terminals: readonly EmulatedTerminal[];
  readonly cards: CardCatalogue;
  /** Faults (such as a power cut) that are planned to happen at certain steps of payments on these terminals. */
  readonly moments: MomentPlans;
  terminal(poiId: string): EmulatedTerminal | undefined;
  /** Resolves once the control API reaches the terminals, or once the first attempt to connect has failed. */
  readonly announced: Promise<void>;
  /** Switches one more terminal on. */
  addTerminal(settings: TerminalSettings): Promise<EmulatedTerminal>;
  /** Stops connecting to the gateway, closes every link and finishes the writes that are under way. */
  close(): Promise<void>;
}

/**
 * Switches on emulated terminals that connect to `gatewayUrl`. Resolves when the terminals have power. They connect
 * to the gateway at once or, if the gateway cannot be reached yet, as soon as it can be reached.
 *
 * @example
 * const emulator = await createEmulator(
 *   { gatewayUrl: 'http://127.0.0.1:8080', terminals: [{ poiId: 'V400m-100000001', deviceKey }] },
 *   createRuntime(),
 * );
 * emulator.terminal('V400m-100000001')?.act({ action: 'tap', card: 'visa' });
 */
export async function startTerminalEmulator(options: EmulatorOptions, runtime: Runtime): Promise<Emulator> {
  const cards = trayOf(options);
  const terminals = new Map<string, EmulatedTerminal>();
  const memory = await openMemory(options, runtime);
  const moments = new MomentPlans();
  const parts = {
    url: linkUrl(options.gatewayUrl, '/poi'),
    runtime,
    memory,
    cards,
    pacing: options.pacing ?? naturalPacing,
    moments,
    dials: new DialQueue(),
    sockets: new SharedLinkDialer(runtime, () => !options.ownLinks && terminals.size > 1),
  };
  let emulatorLink: EmulatorLink | undefined;
  const switchOn = (settings: TerminalSettings): EmulatedTerminal => {
    if (terminals.has(settings.poiId)) throw new Error(`the terminal ${settings.poiId} already exists`);
    const terminal = new EmulatedTerminal(settings, parts);
    if (options.shopper) terminal.setShopper(options.shopper);
    terminals.set(settings.poiId, terminal);
    if (options.remoteControl !== false) {
      emulatorLink ??= new EmulatorLink(
        {
          url: linkUrl(options.gatewayUrl, '/emulator'),
          deviceKey: settings.deviceKey,
          poiId: settings.poiId,
        },
        { runtime, terminals, cards, moments, forwardJournal: options.forwardJournal ?? false },
      );
      emulatorLink.host(terminal);
    }
    return terminal;
  };
  const close = async () => {
    emulatorLink?.close();
    for (const terminal of terminals.values()) terminal.close();
    await memory.close();
  };
  try {
    for (const settings of options.terminals) switchOn(settings);
  } catch (error) {
    await close();
    throw error;
  }
  const heartbeat = new Heartbeat(runtime, terminals);
  const noLongerAsking = runtime.timeWaits.asking(() =>
    [...terminals.values()].flatMap(({ waitsForPerson, poiId: terminal, state }) =>
      waitsForPerson ? [{ terminal, state }] : [],
    ),
  );
  return {
    get terminals() {
      return [...terminals.values()];
    },
    cards,
    moments,
    terminal: (poiId) => terminals.get(poiId),
    announced: emulatorLink?.announced ?? Promise.resolve(),
    addTerminal: async (settings) => {
      await memory.hold(settings.poiId);
      return switchOn(settings);
    },
    close: async () => {
      heartbeat.close();
      noLongerAsking();
      await close();
    },
  };
}

/**
 * Makes the tray.
 * @throws StartError if the automatic shopper's card is not in the tray
 */
function trayOf({ cards: further = [], shopper }: Pick<EmulatorOptions, 'cards' | 'shopper'>): CardCatalogue {
  const cards = new CardCatalogue([...defaultCards, ...further.map((given) => testCardSchema.parse(given))]);
  if (shopper && !cards.get(shopper.card))
    throw new StartError(`the automatic shopper has no card ${shopper.card}: see docs/cards.md`);
  return cards;
}

/** Shows terminals in this process's window (see tui/run-tui.ts). The text UI is loaded only when this is called. */
export async function runTui(...given: Parameters<typeof import('./tui/run-tui.ts').runTui>): Promise<void> {
  const tui = await import('./tui/run-tui.ts');
  return tui.runTui(...given);
}

/** Attaches a card reader (see readers/attached-reader.ts). Its drivers are loaded only when this is called. */
export async function attachReader(
  ...given: ConstructorParameters<typeof AttachedReader>
): Promise<AttachedReader> {
  const readers = await import('./readers/attached-reader.ts');
  return new readers.AttachedReader(...given);
}

/**
 * Lists this machine's serial ports and, if asked to, says which reader answers at each port (see readers/probe.ts).
 */
export async function listReaderPorts(
  ...given: Parameters<typeof import('./readers/probe.ts').listReaderPorts>
) {
  const readers = await import('./readers/probe.ts');
  return readers.listReaderPorts(...given);
}

/** Lists this machine's PC/SC readers and the cards in them (see readers/pcsc/list-pcsc-readers.ts). */
export async function listPcscReaders(
  ...given: Parameters<typeof import('./readers/pcsc/list-pcsc-readers.ts').listPcscReaders>
) {
  const pcsc = await import('./readers/pcsc/list-pcsc-readers.ts');
  return pcsc.listPcscReaders(...given);
}

/** Emulates a card reader on its own serial port or TCP port (see readers/emulators/run-emulator.ts). */
export async function runReaderEmulator(
  ...given: Parameters<typeof import('./readers/emulators/run-emulator.ts').runReaderEmulator>
): Promise<ReaderEmulator> {
  const emulators = await import('./readers/emulators/run-emulator.ts');
  return emulators.runReaderEmulator(...given);
}

/** The WebSocket address of a path at the gateway. */
function linkUrl(gatewayUrl: string, path: string): string {
  const url = new URL(path, gatewayUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** @throws StartError if the terminals' memory cannot be read, or if a newer release or another process uses it */
async function openMemory(
  { memory: file = ':memory:', terminals }: Pick<EmulatorOptions, 'memory' | 'terminals'>,
  runtime: Runtime,
): Promise<TerminalMemory> {
  try {
    const poiIds = terminals.map(({ poiId }) => poiId);
    return await TerminalMemory.open(file, runtime, poiIds);
  } catch (error) {
    throw error instanceof StartError ? error : makeCannotKeepDataError(file, error);
  }
}
