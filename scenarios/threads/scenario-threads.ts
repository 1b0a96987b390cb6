import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ScenarioError } from '../environment/scenario-context.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import { runScenario, type ScenarioResult } from '../run/run-scenario.ts';
import { runTraced, type TraceSettings } from './run-traced.ts';

/** A thread's job: a scenario, its seed, and whether to write a trace. */
export interface ThreadJob {
  readonly id: number;
  readonly scenario: Scenario;
  readonly seed: number | undefined;
  readonly tracing: TraceSettings | undefined;
}

/** A thread's answer to a job. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly result: ScenarioResult }
  | { readonly problem: string }
);

/** A thread that runs scenarios: an additional one, or this thread itself. */
interface Lane {
  /** How many more scenarios the thread can take now. */
  free: number;
  run(job: Omit<ThreadJob, 'id'>): Promise<ScenarioResult>;
}

interface ThreadOptions {
  /** The number of threads in all, including this thread, which runs scenarios too. */
  threads: number;
  /** The number of scenarios that run at the same time in all. */
  workers: number;
  tracing?: TraceSettings;
}

/**
 * Runs scenarios on several threads. A thread that is still loading keeps no scenario waiting. If a thread ends, only
 * the scenarios that it was running fail.
 */
export class ScenarioThreads {
  readonly #tracing: TraceSettings | undefined;
  readonly #lanes: Lane[];
  readonly #threads: Thread[];
  #waiting: ((lane: Lane) => void)[] = [];

  constructor({ threads, workers, tracing }: ThreadOptions) {
    this.#tracing = tracing;
    const slots = Math.ceil(workers / threads);
    this.#threads = Array.from({ length: threads - 1 }, (_, nth) => new Thread(`scenarios ${nth + 2}`));
    const here: Lane = {
      free: slots,
      run: ({ scenario, seed }) => runTraced(tracing, (traced) => runScenario(scenario, traced({ seed }))),
    };
    this.#lanes = [here];
    for (const thread of this.#threads) void thread.ready.then(() => this.#open(thread, slots));
  }

  /** @throws ScenarioError if the scenario's thread ended */
  async run(scenario: Scenario, seed: number | undefined): Promise<ScenarioResult> {
    const lane = await this.#freeLane();
    try {
      return await lane.run({ scenario, seed, tracing: this.#tracing });
    } finally {
      this.#release(lane);
    }
  }

  /** Lets the threads finish their scenarios and end. Resolves when they have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /**
   * Resolves when no thread is loading, so that the process can exit. It would crash if a thread ended while loading
   * SQLite.
   */
  async loaded(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => Promise.race([thread.ready, thread.over])));
  }

  #open(thread: Thread, free: number): void {
    const lane: Lane = { free, run: (job) => thread.run(job) };
    void thread.over.then(() => {
      this.#lanes.splice(this.#lanes.indexOf(lane), 1);
    });
    this.#lanes.push(lane);
    while (lane.free > 0 && this.#waiting.length > 0) this.#hand(lane);
  }

  /**
   * Returns the thread that can take the most further scenarios. If no thread can take one, resolves when a thread is
   * free.
   */
  #freeLane(): Lane | Promise<Lane> {
    const lane = this.#lanes.reduce((most, each) => (each.free > most.free ? each : most));
    if (lane.free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    lane.free--;
    return lane;
  }

  #release(lane: Lane): void {
    lane.free++;
    if (this.#waiting.length > 0 && this.#lanes.includes(lane)) this.#hand(lane);
  }

  #hand(lane: Lane): void {
    lane.free--;
    this.#waiting.shift()?.(lane);
  }
}

/** One additional thread. */
class Thread {
  /**
   * Resolves when the thread takes jobs. If the thread cannot start, this never resolves, and the remaining threads run
   * everything.
   */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly over: Promise<void>;
  readonly #worker: Worker;
  #jobs = 0;
  #running = new Map<number, { resolve(result: ScenarioResult): void; reject(error: Error): void }>();
  #why = 'it ended';

  constructor(name: string) {
    const program = new URL(`./scenario-thread${extname(import.meta.filename)}`, import.meta.url);
    // A thread uses the process's compile cache only if an environment variable names its folder.
    const compiled = getCompileCacheDir();
    const env = compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: compiled };
    this.#worker = new Worker(program, { name, env });
    const ready = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.over = over.promise;
    this.#worker.on('message', (said: 'ready' | ThreadAnswer) => {
      if (said === 'ready') ready.resolve();
      else this.#answered(said);
    });
    this.#worker.on('error', (error) => {
      this.#why = String(error);
    });
    this.#worker.once('exit', () => {
      this.#ended();
      over.resolve();
    });
  }

  run(job: Omit<ThreadJob, 'id'>): Promise<ScenarioResult> {
    const id = this.#jobs++;
    this.#worker.postMessage({ ...job, id } satisfies ThreadJob);
    return new Promise((resolve, reject) => this.#running.set(id, { resolve, reject }));
  }

  close(): Promise<void> {
    this.#worker.postMessage('close');
    return this.over;
  }

  #answered(answer: ThreadAnswer): void {
    const asked = this.#running.get(answer.id);
    this.#running.delete(answer.id);
    if ('result' in answer) asked?.resolve(answer.result);
    else asked?.reject(new ScenarioError(answer.problem));
  }

  #ended(): void {
    const message = `the thread that ran this scenario ended: ${this.#why}`;
    for (const { reject } of this.#running.values()) reject(new ScenarioError(message));
    this.#running.clear();
  }
}
