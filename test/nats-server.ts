import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';

/**
 * Whether NATS is installed. If it is not, the tests that need NATS are skipped, and a warning is printed. With
 * PINPAD_REQUIRE_OPTIONAL=1 (CI), these tests run and fail.
 * @example describe.runIf(hasNats())('over NATS', () => { … });
 */
export function hasNats(): boolean {
  if (findProgram('nats-server') || process.env.PINPAD_REQUIRE_OPTIONAL === '1') return true;
  console.warn('SKIPPED, NOT PROVEN HERE: NATS missing (apt-get install nats-server to run these tests)');
  return false;
}

/** A NATS server on a free port, for one test. It can be paused, killed and started again on that port. */
export class NatsServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pinpad-nats-'));
  #port = 0;
  #process: ChildProcess | undefined;

  /** @param settings lines of the server's configuration */
  static async start(settings = ''): Promise<NatsServer> {
    const server = new NatsServer();
    writeFileSync(join(server.#folder, 'nats.conf'), settings);
    await server.run();
    return server;
  }

  /**
   * Returns the server's URL. If a user is given, the URL has that user in front of the host:
   * `server.url('name:password')`.
   */
  url(user?: string): string {
    return `nats://${user === undefined ? '' : `${user}@`}127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get port(): number {
    return this.#port;
  }

  /** Starts the server again after {@link kill}. */
  async run(): Promise<void> {
    const program = findProgram('nats-server');
    if (!program) throw new Error('nats-server is missing: apt-get install nats-server');
    const address = ['--addr', '127.0.0.1', '--port', String(this.#port || -1)];
    const args = ['--config', join(this.#folder, 'nats.conf'), ...address];
    const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = server;
    const breaksOff = () => {
      server.kill('SIGKILL');
      rmSync(this.#folder, { recursive: true, force: true });
    };
    process.once('exit', breaksOff); // ends the server if the test run breaks off
    server.once('exit', () => process.off('exit', breaksOff));
    await new Promise<void>((resolve, reject) => {
      let said = '';
      server.stderr.on('data', (data: Buffer) => {
        if (said.length < 100_000) said += data;
        this.#port ||= Number(/Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? 0);
        if (said.includes('Server is ready')) resolve();
      });
      server.once('exit', () => reject(new Error(`nats-server did not start: ${said}`)));
      server.once('error', reject);
    });
  }

  /** Pauses the server until {@link goOn} is called. Meanwhile it keeps its connections and sends nothing. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Kills the server at once, as in a crash. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}
