import { type ControlClient, createControlClient } from '../../client/control-client.ts';
import { type Clock, delay } from '../../shared/clock.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { momentNamesAndAliases } from '../../shared/moments.ts';
import type { Random } from '../../shared/random.ts';
import { StartError } from '../../shared/start-error.ts';
import { defaultTimeouts } from '../../shared/timeouts.ts';
import {
  type ControlledGateway,
  followJournal,
  IncrementalJournalReader,
  withGatewayErrorsExplained,
} from '../../stack/index.ts';
import { BeliefRelay } from './belief-relay.ts';
import type { EnvironmentProvider, RunEnvironment } from './run-environment.ts';
import { salesOfRun } from './sales-of-run.ts';

interface RunningGatewayOptions {
  readonly gateway: ControlledGateway;
  readonly token: string;
  /** The terminal's identifier or poi_id; the first terminal if undefined. */
  readonly terminal: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** The faults and options that are possible only if each run starts its own gateway, with the reason. */
const impossible = new Map([
  ['gateway', 'the gateway would crash for all its users'],
  [
    'POS crash',
    "the entries of the gateway's journal arrive too late to kill a program exactly when it sends a request",
  ],
  [
    'before.… and after.…',
    'only the gateway itself knows which of these moments a sale passes (use --only to try a fault at one of these moments)',
  ],
  ['time that skips', 'a fault that lasts minutes would take minutes of real time'],
  ['--seed, --config, --port, --workers, --threads', 'the gateway is already running with its own settings'],
]);

/**
 * Returns a provider that gives every run the same gateway, which is already running. The runs take place one after the
 * other, in real time (B333). If other users make sales during a run, on other terminals or accounts, the run's record
 * does not contain these sales.
 *
 * @throws StartError if the gateway does not answer, or has no such terminal
 */
export function makeRunningGatewayProvider(options: RunningGatewayOptions): Promise<EnvironmentProvider> {
  const { gateway, token, clock, random } = options;
  return withGatewayErrorsExplained(gateway, async () => {
    const control = createControlClient({ url: gateway.url, token: gateway.controlToken });
    const terminals = await control.GET('/control/terminals');
    const terminal = terminals.find(({ id, poiId }) => [undefined, id, poiId].includes(options.terminal));
    if (!terminal) throw new StartError(`${gateway.url} has no terminal ${options.terminal ?? 'at all'}`);
    const beliefs = await BeliefRelay.listen(gateway, random);
    return {
      impossible,
      isShared: true,
      open: () => openRunEnvironment({ gateway, token, clock, control, terminal, beliefs }),
      close: () => beliefs.close(),
    };
  });
}

/** The parts of a running gateway that a run uses. */
interface RunParts extends Pick<RunningGatewayOptions, 'gateway' | 'token' | 'clock'> {
  readonly control: ControlClient;
  readonly terminal: UsedTerminal;
  readonly beliefs: BeliefRelay;
}

/** The terminal of all runs. `id` is its identifier in paths. */
interface UsedTerminal {
  readonly id: string;
  readonly poiId: string;
  readonly accountId: string;
}

async function openRunEnvironment({
  gateway,
  token,
  clock,
  control,
  terminal,
  beliefs,
}: RunParts): Promise<RunEnvironment> {
  const { virtual } = await control.GET('/control/clock');
  const isOurs = (entry: JournalEntry) => isOfTerminal(entry, terminal);
  const journal = await IncrementalJournalReader.begin(gateway, isOurs);
  return {
    url: gateway.url,
    control,
    controlToken: gateway.controlToken,
    token,
    terminal: terminal.poiId,
    terminalId: terminal.id,
    beliefsUrl: beliefs.url,
    limits: defaultTimeouts,
    earlierDeliveries: await pendingDeliveries(control),
    advance: async (ms) => {
      if (virtual) await control.POST('/control/clock/wait', { body: { ms } });
      else await delay(clock, ms);
    },
    hold: () => holdsNothing,
    passed: shownMoments,
    journal: () => journal.read(),
    sales: async () => salesOfRun(await journal.read(), terminal.accountId, beliefs),
    listen: (heard) => followEntries(gateway, isOurs, heard),
    close: () => removeShopper(control, terminal.poiId),
  };
}

/** Releases a hold of virtual time. Does nothing, because a run on a shared gateway never stops the gateway's time. */
function holdsNothing(): void {}

/** Whether an entry is about this terminal, or about no terminal. The requests of other accounts are left out. */
function isOfTerminal({ terminal: at, kind, data }: JournalEntry, terminal: UsedTerminal): boolean {
  if (at !== undefined) return at === terminal.poiId;
  return kind !== 'http.received' || data.accountId === terminal.accountId;
}

/** Calls `heard` with each new entry for which `isOurs` returns true, until the returned function is called. */
function followEntries(
  gateway: ControlledGateway,
  isOurs: (entry: JournalEntry) => boolean,
  heard: (entry: JournalEntry) => void,
): () => void {
  const stop = new AbortController();
  const following = followJournal({ ...gateway, signal: stop.signal }, (entry) => {
    if (isOurs(entry)) heard(entry);
  });
  following.catch(() => {}); // the stream ends with the run
  return () => stop.abort();
}

async function removeShopper(control: ControlClient, poiId: string): Promise<void> {
  await control.DELETE('/control/terminals/{terminalId}/shopper', {
    params: { path: { terminalId: poiId } },
  });
}

async function pendingDeliveries(control: ControlClient): Promise<ReadonlySet<string>> {
  const params = { query: { state: 'pending', limit: 1_000 } } as const;
  return new Set((await control.GET('/control/webhook-deliveries', { params })).map(({ id }) => id));
}

/** Counts how often the terminal showed each screen. Counts only screens that have the same name as a moment. */
function shownMoments(entries: readonly JournalEntry[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  let before: string | undefined;
  for (const entry of entries) {
    if (entry.kind !== 'terminal.screen') continue;
    const { state } = entry.data;
    if (state !== before && (momentNamesAndAliases as readonly string[]).includes(state))
      counts[state] = (counts[state] ?? 0) + 1;
    before = state;
  }
  return counts;
}
