import type { Clock } from '../../shared/clock.ts';
import { StartError } from '../../shared/start-error.ts';
import { RunningCommand, shell } from './command.ts';
import type { Driver, RunSlot, Sold } from './driver.ts';
import type { ExploreServer, Variables } from './explore-server.ts';
import type { RunGround } from './ground.ts';
import { isSilent } from './is-silent.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { Leads } from './leads.ts';
import { type Beginning, beginningAt, killByFile } from './pid-file.ts';
import { stopTimeWhileCommandActs } from './process-group.ts';
import type { CommandExit } from './run-record.ts';
import { Secrets } from './secrets.ts';
import { untilSold } from './until-sold.ts';

/** The real milliseconds that a lingering command has to end by itself. */
const stopMs = 2_000;

export interface CommandOptions {
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
  readonly env: Variables;
  /** Whether the command may go on after the sale. Its webhook receiver then runs until nothing is open. */
  readonly linger: boolean;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
  /** Returns the server that gives runs to a worker's command, if the command stays for several runs. */
  server(worker: number): ExploreServer;
  /** Redirects the command's calls from the hosts of another vendor to the gateway. */
  readonly leads: Leads | undefined;
}

/**
 * Runs the command once for each run. A command that asks the explore server for runs is started only once, and gets
 * one run after the other.
 */
export class CommandDriver implements Driver {
  readonly #options: CommandOptions;
  /** The commands that stay for several runs, by worker. */
  readonly #staying = new Map<number, RunningCommand>();
  readonly #secrets = new Secrets();

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  async sell(ground: RunGround, switches: KillSwitch, { worker, limitMs, silentMs }: RunSlot): Promise<Sold> {
    const { argv, before, restart, linger, clock, stopped, server, leads } = this.#options;
    const begun = beginningAt(clock.now());
    const variables = this.#variables(ground, worker);
    this.#secrets.add(variables);
    const led = leads?.begin(worker, ground.url) ?? {};
    this.#secrets.add(led);
    const start = (argv: readonly string[], more: Variables = {}) =>
      new RunningCommand(argv, { ...process.env, ...variables, ...led, ...more }, this.#secrets);
    if (before !== undefined) await succeed('--before', before, start(shell(before)), this.#options);
    const { done, withdraw } = server(worker).offer(variables);
    const stayed = this.#staying.get(worker);
    const command = stayed && !stayed.isOver ? stayed : start(argv);
    stopTimeWhileCommandActs(ground, command);
    switches.arm(() => this.#kill(command, begun));
    const left = new AbortController();
    const sold = (): CommandExit => ({ code: 0, signal: undefined, timedOut: false });
    if (silentMs !== undefined)
      void isSilent(ground, clock, silentMs, left.signal).then((silent) => silent && command.giveUp());
    let ended = await Promise.race([
      done.then(sold),
      command.endedWithin(clock, limitMs, stopped, left.signal),
      ...(linger ? [untilSold(ground, clock, left.signal).then(sold)] : []),
    ]);
    left.abort();
    withdraw();
    if (switches.problem !== undefined) throw switches.problem;
    if (server(worker).isAsked && !command.isOver) this.#staying.set(worker, command);
    if (linger && !command.isOver && !switches.killed && !server(worker).isAsked)
      return { ended, output: command.output, leave: () => this.#leave(command) };
    const output = [...command.output];
    if (switches.killed && restart !== undefined) {
      switches.goOnAtRequest();
      const again = start(shell(restart), { PINPAD_RECOVERY: '1' });
      stopTimeWhileCommandActs(ground, again);
      ended = await again.endedWithin(clock, limitMs, stopped);
      output.push('--- started again', ...again.output);
    }
    return { ended, output: output.slice(-40) };
  }

  async #leave(command: RunningCommand): Promise<Sold> {
    const byItself = command.isOver;
    const ended = await command.stop(this.#options.clock, stopMs);
    const { output } = command;
    return { ended: byItself ? ended : { code: 0, signal: undefined, timedOut: false }, output };
  }

  async close(): Promise<void> {
    for (const command of this.#staying.values()) {
      command.kill();
      await command.ended.catch(() => {});
    }
  }

  #variables(ground: RunGround, worker: number): Variables {
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

  #kill(command: RunningCommand, begun: Beginning): void {
    command.kill();
    if (this.#options.pidFile !== undefined) killByFile(this.#options.pidFile, begun);
  }
}

/** Waits for a shell command, which must succeed. */
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
