import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadOptions, LoadResult } from './run-load.ts';

/** Makes load in a process of its own, so that load never occupies the event loop of the measured program. */
export class LoadProcess {
  #child: ChildProcess = fork(join(import.meta.dirname, 'generator.ts'));
  /** Resolves with an error when the load process ends, so that `run` does not wait for ever for its answer. */
  #ended = once(this.#child, 'exit').then(() => [{ error: 'the process that makes the load has ended' }]);

  async run(load: LoadOptions): Promise<LoadResult> {
    this.#child.send(load);
    const answered = once(this.#child, 'message');
    const [answer] = (await Promise.race([answered, this.#ended])) as [
      { result: LoadResult } | { error: string },
    ];
    if ('error' in answer) throw new Error(answer.error);
    return answer.result;
  }

  stop(): void {
    this.#child.kill();
  }
}
