import type { Clock } from '../../shared/clock.ts';
import type { Shopper } from '../../shared/emulator/frames.ts';
import { lintJournal } from '../../shared/lint/lint-journal.ts';
import { stopwatch } from '../../shared/stopwatch.ts';
import { faultKindOf, lastsMs, needsFolder } from '../plan/catalogue.ts';
import { type Schedule, scheduleText } from '../plan/planned.ts';
import { asSet } from '../plan/together.ts';
import type { Driver, RunSlot, Sold } from './driver.ts';
import { type Arena, mend, type RunGround, shopperPays, unlessRefused } from './ground.ts';
import { KillSwitch } from './kill-switch.ts';
import { passedMoments } from './passed-moments.ts';
import type { CommandExit, RunRecord } from './run-record.ts';
import { settle } from './settle.ts';
import { toldRequests } from './told-requests.ts';

/** What all runs of a thread have in common. */
export interface CommonToRuns {
  readonly arena: Arena;
  /** Runs the command, or gives the run to a command that stays for several runs. */
  readonly driver: Driver;
  /** The automatic shopper that pays; undefined if the command presents cards by itself. */
  readonly shopper: Shopper | undefined;
  readonly clock: Clock;
}

/**
 * Makes one run: opens a gateway and a terminal, sets the faults, lets the command sell, ends the faults, and waits
 * until nothing is open.
 */
export async function makeRun(
  { arena, driver, shopper, clock }: CommonToRuns,
  schedule: Schedule,
  slot: RunSlot,
): Promise<RunRecord> {
  const ground = await arena.open({ folder: needsFolder(schedule), worker: slot.worker });
  const killSwitch = new KillSwitch(ground);
  let leave: Sold['leave'];
  try {
    if (shopper) await shopperPays(ground.control, ground.terminal, shopper);
    for (const planned of asSet(schedule))
      await unlessRefused(
        scheduleText([planned]),
        faultKindOf(planned).arm(
          { ...ground, shopper, killAt: (at, when) => killSwitch.set(at, when) },
          planned,
        ),
      );
    const tookMs = stopwatch(clock);
    const sold = await driver.sell(ground, killSwitch, slot);
    leave = sold.leave;
    killSwitch.stop();
    const took = tookMs();
    await mend(ground);
    const { settled, unjudgedDeliveries } = await settle(ground, lastsMs(schedule));
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

async function recordOf(ground: RunGround, done: Done): Promise<RunRecord> {
  const entries = await ground.journal();
  const sales = await ground.sales();
  const requests = toldRequests(entries);
  const held = entries.find((entry) => entry.kind === 'fault.injected' && entry.data.fault === 'holdAnswer');
  const hungUp = held && entries.find(({ kind, seq }) => kind === 'http.hungUp' && seq > held.seq);
  return {
    requests,
    passed: passedMoments(entries, requests, ground.passed(entries)),
    sales,
    entries,
    terminal: { poiId: ground.terminal, identifier: ground.terminalId },
    found: lintJournal(entries).map(({ rule, what, severity, fix }) => ({ rule, what, severity, fix })),
    hungUpAfterMs: held && hungUp ? (hungUp.realAt ?? hungUp.at) - (held.realAt ?? held.at) : undefined,
    why: sales.findLast(({ why }) => why !== null)?.why ?? undefined,
    ...done,
  };
}
