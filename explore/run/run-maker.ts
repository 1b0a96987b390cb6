import type { Vendor } from '../../leading/index.ts';
import type { Scenario } from '../../scenarios/index.ts';
import type { Clock } from '../../shared/clock.ts';
import type { AutomaticShopperSettings } from '../../shared/emulator/frames.ts';
import type { Random } from '../../shared/random.ts';
import type { Schedule } from '../plan/schedule.ts';
import { CommandDriver, type CommandSettings } from './command-driver.ts';
import type { WorkerAndLimits } from './driver.ts';
import { ExploreServer } from './explore-server.ts';
import { executeRun, type RunDependencies } from './make-run.ts';
import type { EnvironmentProvider } from './run-environment.ts';
import type { RunRecord } from './run-record.ts';
import { ScenarioDriver } from './scenario-driver.ts';
import { VendorCallRedirector } from './vendor-call-redirector.ts';

/** The user's settings for all runs. They are plain data, so that they can be sent to other threads. */
export interface RunSettings extends CommandSettings {
  /** The vendor whose hosts the command calls. These calls are redirected to the gateway of each run. */
  readonly as: Vendor | undefined;
  /** The scenario that is played in place of the command. */
  readonly scenario?: Scenario;
  /** The automatic shopper that pays; undefined if the command presents cards by itself. */
  readonly shopper: AutomaticShopperSettings | undefined;
}

/** The objects that a thread needs to make runs, in addition to the settings. */
export interface RunMakerDependencies {
  readonly arena: EnvironmentProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly stopped: AbortSignal;
}

/** A run to make: its faults, and its time limits. */
export interface RunRequest extends Omit<WorkerAndLimits, 'worker'> {
  readonly schedule: Schedule;
}

/** Makes the runs of some workers, in this thread. */
export class RunMaker {
  /** Redirects the command's calls from the hosts of another vendor. */
  readonly leads: VendorCallRedirector | undefined;
  readonly #common: RunDependencies;
  readonly #servers: readonly ExploreServer[];

  private constructor(
    common: RunDependencies,
    servers: readonly ExploreServer[],
    leads: VendorCallRedirector | undefined,
  ) {
    this.leads = leads;
    this.#common = common;
    this.#servers = servers;
  }

  /** @param workers the numbers of the workers. Each worker makes one run at a time */
  static async start(
    settings: RunSettings,
    context: RunMakerDependencies,
    workers: readonly number[],
  ): Promise<RunMaker> {
    const { arena, clock, random } = context;
    const { as: vendor, scenario, shopper } = settings;
    const servers = await Promise.all(workers.map(() => ExploreServer.listen(random)));
    const server = (worker: number) => servers[workers.indexOf(worker)] as ExploreServer;
    try {
      const leads =
        vendor && (await VendorCallRedirector.start({ ...settings, vendor, workers, clock, random }));
      const driver = scenario
        ? new ScenarioDriver(scenario, clock)
        : new CommandDriver({ ...settings, ...context, server, leads });
      return new RunMaker({ arena, driver, shopper, clock }, servers, leads);
    } catch (error) {
      await Promise.all(servers.map((each) => each.close()));
      throw error;
    }
  }

  /** @param worker the number of the worker that makes the run. This worker must not be busy with another run */
  make({ schedule, ...limits }: RunRequest, worker: number): Promise<RunRecord> {
    return executeRun(this.#common, schedule, { worker, ...limits });
  }

  /** Kills the running commands at once. */
  kill(): void {
    this.#common.driver.kill();
  }

  /** Kills the commands that are still running, and waits until they have ended. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.over();
    await this.#common.driver.close();
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.leads?.close();
  }
}
