import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Asked {
  resolve(lines: string[]): void;
  reject(error: Error): void;
}

/**
 * A client of a tmux server in control mode. This single process reports changes of the window and the window's
 * content. It would be slow to start a process each time, because the test's own process is large.
 */
export class TmuxControl {
  #client: ChildProcess;
  #asked: Asked[] = [];
  #reading: string[] | undefined;
  #changed = Promise.withResolvers<void>();
  #ended = false;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    const attach = ['-C', 'attach', '-f', 'ignore-size'];
    this.#client = spawn('tmux', [...args, ...attach], { stdio: ['pipe', 'pipe', 'ignore'], env });
    // The first answer of tmux is the answer to `attach`, and it is ignored. Writing to the client may fail, because
    // the server may have ended.
    this.#asked.push({ resolve: () => {}, reject: () => {} });
    this.#client.stdin?.on('error', () => {});
    createInterface({ input: this.#client.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.#read(line),
    );
    this.#client.once('close', () => this.#end());
  }

  /**
   * Resolves to what the window shows now, and to a promise of the window's next change.
   * @throws Error if the window is gone
   */
  async look(): Promise<{ lines: string[]; changed: Promise<void> }> {
    if (this.#ended) throw new Error('there is no window');
    const changed = this.#changed.promise;
    const lines = await new Promise<string[]>((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      this.#client.stdin?.write('capture-pane -p\n');
    });
    return { lines, changed };
  }

  close(): void {
    this.#client.kill();
  }

  #read(line: string): void {
    if (this.#reading && /^%(end|error) /.test(line)) {
      this.#asked.shift()?.resolve(this.#reading);
      this.#reading = undefined;
    } else if (this.#reading) this.#reading.push(line);
    else if (line.startsWith('%begin ')) this.#reading = [];
    else {
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  #end(): void {
    this.#ended = true;
    for (const asked of this.#asked.splice(0)) asked.reject(new Error('there is no window'));
    this.#changed.resolve();
  }
}
