import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Scenario } from '../../scenarios/index.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { ListedScenario, ScenarioWorkerReply, ScenarioWorkerRequest } from './scenario-worker.ts';

/** Thrown if a scenario file cannot be read; the message says what is wrong with the file. */
class UnreadableScenario extends Error {}

/** The time limit for reading one file: ten times as long as the largest allowed file takes on a busy machine. */
const longestMs = 20_000;

/**
 * Reads scenario files in a separate thread. Reading some kilobytes of YAML can take seconds, and in the main thread
 * the gateway would answer no request during that time. If reading a file takes too long, the reader stops and reports
 * the file as unreadable.
 */
export class ScenarioReader {
  #limitMs: number;
  #clock: Clock;
  #worker: Promise<Worker> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limitMs = longestMs, clock: Clock = systemClock) {
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  /** @throws UnreadableScenario */
  async list(file: string): Promise<readonly ListedScenario[]> {
    const said = await this.#ask({ file });
    return 'listed' in said ? said.listed : [];
  }

  /** @throws UnreadableScenario */
  async scenario(
    file: string,
    one: NonNullable<ScenarioWorkerRequest['one']>,
  ): Promise<Scenario | undefined> {
    const said = await this.#ask({ file, one });
    return 'scenario' in said ? said.scenario : undefined;
  }

  /** Reads one file after the other, so that it is known which file takes too long. */
  #ask(asked: ScenarioWorkerRequest): Promise<ScenarioWorkerReply> {
    const answered = this.#last.then(() => this.#answer(asked));
    this.#last = answered.catch(() => {});
    return answered;
  }

  async #answer(asked: ScenarioWorkerRequest): Promise<ScenarioWorkerReply> {
    this.#worker ??= startWorker();
    const worker = await this.#worker.catch((error: Error) => {
      this.#worker = undefined;
      throw new UnreadableScenario(`scenario files cannot be read: ${error.message}`);
    });
    const said = await new Promise<ScenarioWorkerReply>((resolve) => {
      const limit = this.#clock.setTimeout(() => {
        this.#worker = undefined;
        void worker.terminate();
        answer({ problem: `reading the file takes longer than ${this.#limitMs / 1000} s` });
      }, this.#limitMs);
      const answer = (said: ScenarioWorkerReply) => {
        this.#clock.clearTimeout(limit);
        worker.off('message', answer).off('error', failed);
        resolve(said);
      };
      const failed = (error: Error) => {
        this.#worker = undefined;
        answer({ problem: `the file cannot be read: ${error.message}` });
      };
      worker.on('message', answer).on('error', failed);
      worker.postMessage(asked);
    });
    if ('problem' in said) throw new UnreadableScenario(said.problem);
    return said;
  }
}

/**
 * Starts a thread and waits until its program is loaded. The duration depends on how busy the machine is, not on a
 * file, so it does not count towards the time limit of a file.
 */
async function startWorker(): Promise<Worker> {
  const program = new URL(`./scenario-worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(program, {
    name: 'scenarios',
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  worker.unref(); // the thread does not keep the process running
  await once(worker, 'message');
  return worker;
}
