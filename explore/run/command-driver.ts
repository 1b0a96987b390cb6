import type { Clock } from '../../shared/clock.ts';
import { StartError } from '../../shared/start-error.ts';
import { makeShellArgv, RunningCommand } from './command.ts';
import type { PosDriver, PosResult, WorkerAndLimits } from './driver.ts';
import type { CommandVariables, ExploreServer } from './explore-server.ts';
import type { KillSwitch } from './kill-switch.ts';
import { killByPidFile, type RunBeginning, runBeginningAt } from './pid-file.ts';
import { stopTimeWhileCommandActs } from './process-group.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { CommandExit } from './run-record.ts';
import { CommandSecrets } from './secrets.ts';
import { waitForCommandSilence } from './stays-silent.ts';
import { waitUntilSold } from './until-sold.ts';
import type { VendorCallRedirector } from './vendor-call-redirector.ts';

/**
 * After explore has asked a lingering command to end, the command has this many real milliseconds to do so. Then
 * explore kills the command.
 */
const stopMs = 2_000;
/** The maximum number of lines of a command's output that are kept. */
const mostLines = 40;
const success: CommandExit = { code: 0, signal: undefined, timedOut: false };

/** The user's settings for the command. They are plain data, so that they can be sent to other threads. */
export interface CommandSettings {
  readonly argv: readonly string[];
  /** A shell command that runs before each run, for example to reset a database. */
  readonly before: string | undefined;
  /** A shell command that starts the point of sale again after it was killed. */
  readonly restart: string | undefined;
  /** A file with the id of the process to kill, if the point of sale is not a child of the command. */
  readonly pidFile: string | undefined;
  /**
   * Further environment variables. The placeholders `{url}`, `{token}`, `{terminal}` and `{poiId}` in them stand for
   * the values of the run.
   */
  readonly env: CommandVariables;
  /** The environment variables of this process. Commands have them, too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Whether the command may keep running after the sale. If so, its webhook receiver runs until nothing is open at the
   * gateway.
   */
  readonly linger: boolean;
}

interface CommandOptions extends CommandSettings {
  readonly clock: Clock;
  readonly stopped: AbortSignal;
  /**
   * Returns the explore server of a worker. From this server, a command that keeps running for several runs gets each
   * run.
   */
  server(worker: number): ExploreServer;
  /** Redirects the command's calls from the hosts of another vendor to the gateway. */
  readonly leads: VendorCallRedirector | undefined;
}

/**
 * Runs the command once for each run. A command that asks the explore server for runs is started only once, and gets
 * one run after the other.
 */
export class CommandDriver implements PosDriver {
  readonly #options: CommandOptions;
  /** The commands that have not ended. */
  readonly #running = new Set<RunningCommand>();
  /** For each worker, the command that keeps running over several runs. */
  readonly #staying = new Map<number, RunningCommand>();
  readonly #secrets = new CommandSecrets();

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  async sell(ground: RunEnvironment, killSwitch: KillSwitch, slot: WorkerAndLimits): Promise<PosResult> {
    const { argv, before, restart, linger, clock, stopped, server } = this.#options;
    const { worker } = slot;
    const begun = runBeginningAt(clock.now());
    const variables = this.#variables(ground, worker);
    const start = this.#starter(ground, worker, variables);
    if (before !== undefined) await succeed('--before', before, start(makeShellArgv(before)), this.#options);
    const { done, withdraw } = server(worker).offer(variables);
    const stayed = this.#staying.get(worker);
    const command = stayed && !stayed.isOver ? stayed : start(argv);
    stopTimeWhileCommandActs(ground, command);
    killSwitch.arm(() => this.#kill(command, begun));
    const ended = await this.#untilSold(command, done, ground, slot);
    withdraw();
    if (killSwitch.problem !== undefined) throw killSwitch.problem;
    if (server(worker).isAsked && !command.isOver) this.#staying.set(worker, command);
    else if (linger && !command.isOver && !killSwitch.killed)
      return { ended, output: command.output, leave: () => this.#leave(command) };
    const output = [...command.output];
    if (!killSwitch.killed || restart === undefined) return { ended, output: output.slice(-mostLines) };
    killSwitch.goOnAtRequest();
    const again = start(makeShellArgv(restart), { PINPAD_RECOVERY: '1' });
    stopTimeWhileCommandActs(ground, again);
    const recovered = await again.endedWithin(clock, slot.limitMs, stopped);
    output.push('--- started again', ...again.output);
    return { ended: recovered, output: output.slice(-mostLines) };
  }

  /** Returns a function that starts commands with the environment variables of a run. */
  #starter(ground: RunEnvironment, worker: number, variables: CommandVariables) {
    const led = this.#options.leads?.begin(worker, ground.url) ?? {};
    this.#secrets.add(variables);
    this.#secrets.add(led);
    return (argv: readonly string[], more: CommandVariables = {}) => {
      const env = { ...this.#options.environment, ...variables, ...led, ...more };
      const command = new RunningCommand(argv, env, this.#secrets);
      this.#running.add(command);
      const ended = () => void this.#running.delete(command);
      command.ended.then(ended, ended);
      return command;
    };
  }

  /**
   * Waits until the command has ended, or has said that its run is done, or has finished its sale although it keeps
   * running.
   */
  async #untilSold(
    command: RunningCommand,
    done: Promise<unknown>,
    ground: RunEnvironment,
    { limitMs, silentMs }: WorkerAndLimits,
  ): Promise<CommandExit> {
    const { clock, linger, stopped } = this.#options;
    const over = new AbortController();
    if (silentMs !== undefined)
      void waitForCommandSilence(ground, clock, silentMs, over.signal).then(
        (silent) => silent && command.giveUp(),
      );
    const ended = await Promise.race([
      done.then(() => success),
      command.endedWithin(clock, limitMs, stopped, over.signal),
      ...(linger ? [waitUntilSold(ground, clock, over.signal).then(() => success)] : []),
    ]);
    over.abort();
    return ended;
  }

  /** Stops a lingering command. If the command ends only because it was stopped, this counts as success. */
  async #leave(command: RunningCommand): Promise<PosResult> {
    const byItself = command.isOver;
    const ended = await command.stop(this.#options.clock, stopMs);
    return { ended: byItself ? ended : success, output: command.output };
  }

  kill(): void {
    for (const command of this.#running) command.kill();
  }

  async close(): Promise<void> {
    this.kill();
    await Promise.allSettled(Array.from(this.#running, ({ ended }) => ended));
  }

  #variables(ground: RunEnvironment, worker: number): CommandVariables {
    const known: Record<string, string> = {
      url: ground.url,
      token: ground.token,
      terminal: ground.terminalId,
      poiId: ground.terminal,
    };
    const further = Object.entries(this.#options.env).map(([name, text]) => [
      name,
      text.replaceAll(/\{(url|token|terminal|poiId)\}/g, (_, what: string) => known[what] ?? ''),
    ]);
    return {
      PINPAD_URL: ground.url,
      PINPAD_TOKEN: ground.token,
      PINPAD_TERMINAL: ground.terminalId,
      PINPAD_CONTROL_TOKEN: ground.controlToken,
      ...(ground.beliefsUrl === undefined ? {} : { PINPAD_BELIEFS_URL: ground.beliefsUrl }),
      PINPAD_EXPLORE_URL: this.#options.server(worker).url,
      PINPAD_WORKER: String(worker),
      ...Object.fromEntries(further),
    };
  }

  #kill(command: RunningCommand, begun: RunBeginning): void {
    command.kill();
    if (this.#options.pidFile !== undefined) killByPidFile(this.#options.pidFile, begun);
  }
}

/** Waits until a shell command has ended, and throws a StartError if the command fails. */
async function succeed(
  name: string,
  text: string,
  command: RunningCommand,
  { clock, stopped }: CommandOptions,
): Promise<void> {
  const { code, timedOut } = await command.endedWithin(clock, 60_000, stopped);
  if (code === 0 || stopped.aborted) return;
  const why = timedOut ? 'did not end within a minute' : `ended with ${code ?? 'a signal'}`;
  throw new StartError([`${name} ${why}: ${text}`, ...command.output].join('\n'));
}
