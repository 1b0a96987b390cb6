import type { Clock } from '../../shared/clock.ts';
import type { AutomaticShopperSettings } from '../../shared/emulator/frames.ts';
import { lintJournal } from '../../shared/lint/lint-journal.ts';
import { startStopwatch } from '../../shared/stopwatch.ts';
import { faultKindOf, lastingEffectMs, needsDataFolder } from '../plan/catalogue.ts';
import { scheduleForArming } from '../plan/combining.ts';
import { type Schedule, scheduleText } from '../plan/schedule.ts';
import { readCommandRequests } from './command-requests.ts';
import type { PosDriver, PosResult, WorkerAndLimits } from './driver.ts';
import { KillSwitch } from './kill-switch.ts';
import { countPassedMoments } from './passed-moments.ts';
import {
  callOrStartError,
  type EnvironmentProvider,
  endFaultsAndRestoreTerminal,
  type RunEnvironment,
  setAutomaticShopper,
} from './run-environment.ts';
import type { CommandExit, RunRecord } from './run-record.ts';
import { waitUntilNothingOpen } from './settle.ts';

/** The objects that all runs of a thread share. */
export interface RunDependencies {
  readonly arena: EnvironmentProvider;
  /**
   * Makes the point of sale sell: runs the command, gives the run to a command that keeps running, or plays the
   * scenario.
   */
  readonly driver: PosDriver;
  /** The automatic shopper that pays; undefined if the command presents cards by itself. */
  readonly shopper: AutomaticShopperSettings | undefined;
  readonly clock: Clock;
}

/**
 * Makes one run: opens a gateway and a terminal, sets the faults, lets the command sell, ends the faults, and waits
 * until nothing is open at the gateway.
 */
export async function executeRun(
  { arena, driver, shopper, clock }: RunDependencies,
  schedule: Schedule,
  slot: WorkerAndLimits,
): Promise<RunRecord> {
  const ground = await arena.open({ folder: needsDataFolder(schedule), worker: slot.worker });
  const killSwitch = new KillSwitch(ground);
  let leave: PosResult['leave'];
  try {
    if (shopper) await setAutomaticShopper(ground.control, ground.terminal, shopper);
    for (const planned of scheduleForArming(schedule))
      await callOrStartError(
        scheduleText([planned]),
        faultKindOf(planned).arm(
          { ...ground, shopper, killAt: (at, when) => killSwitch.set(at, when) },
          planned,
        ),
      );
    const tookMs = startStopwatch(clock);
    const sold = await driver.sell(ground, killSwitch, slot);
    leave = sold.leave;
    killSwitch.stop();
    const took = tookMs();
    await endFaultsAndRestoreTerminal(ground);
    const { settled, unjudgedDeliveries } = await waitUntilNothingOpen(ground, lastingEffectMs(schedule));
    const { ended, output } = (await sold.leave?.()) ?? sold;
    return await recordOf(ground, { ended, output, settled, unjudgedDeliveries, tookMs: took });
  } finally {
    killSwitch.stop();
    await leave?.();
    await ground.close();
  }
}

interface Done {
  readonly ended: CommandExit;
  readonly output: readonly string[];
  readonly settled: boolean;
  readonly unjudgedDeliveries: readonly string[];
  readonly tookMs: number;
}

async function recordOf(ground: RunEnvironment, done: Done): Promise<RunRecord> {
  const entries = await ground.journal();
  const sales = await ground.sales();
  const requests = readCommandRequests(entries);
  const held = entries.find((entry) => entry.kind === 'fault.injected' && entry.data.fault === 'holdAnswer');
  const hungUp = held && entries.find(({ kind, seq }) => kind === 'http.hungUp' && seq > held.seq);
  return {
    requests,
    passed: countPassedMoments(entries, requests, ground.passed(entries)),
    sales,
    entries,
    terminal: { poiId: ground.terminal, identifier: ground.terminalId },
    found: lintJournal(entries).map(({ rule, what, severity, fix }) => ({ rule, what, severity, fix })),
    hungUpAfterMs: held && hungUp ? (hungUp.realAt ?? hungUp.at) - (held.realAt ?? held.at) : undefined,
    why: sales.findLast(({ why }) => why !== null)?.why ?? undefined,
    ...done,
  };
}
