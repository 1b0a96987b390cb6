import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';

/** Where Debian puts the server's programs, which are not in the PATH. */
const debian = '/usr/lib/postgresql';

export const password = 'never-to-be-seen';

/**
 * Whether PostgreSQL is installed; where it is not, its tests are skipped loudly. With PINPAD_REQUIRE_OPTIONAL=1 (CI)
 * they run and fail.
 *
 * @example
 * describe.runIf(hasPostgres())('on PostgreSQL', () => { … });
 */
export function hasPostgres(): boolean {
  if (binary('postgres') || process.env.PINPAD_REQUIRE_OPTIONAL === '1') return true;
  console.warn(
    'SKIPPED, NOT PROVEN HERE: PostgreSQL missing (apt-get install postgresql to run these tests)',
  );
  return false;
}

/** A PostgreSQL server of its own, in a folder of its own. It can be killed and started again. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #settings: Record<string, string>;
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(folder: string, port: number, settings: Record<string, string>) {
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
  }

  /** `settings` of the server beside or in place of those for tests, whose data need not outlive the machine. */
  static async start(settings: Record<string, string> = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-postgres-'));
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, password);
    if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
    const access = ['--username=pinpad', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const quick = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C.UTF-8'];
    execFileSync(required('initdb'), [`--pgdata=${join(folder, 'data')}`, ...access, ...quick], {
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: folder,
      uid,
      gid,
    });
    const server = new PostgresServer(folder, await freePort(), settings);
    await server.run();
    return server;
  }

  /** The URL of a new, empty database. */
  newUrl(): string {
    const name = `test_${++this.#databases}`;
    this.sql(`create database ${name}`);
    return this.url(name);
  }

  url(database = 'postgres'): string {
    return `postgres://pinpad:${password}@127.0.0.1:${this.#port}/${database}`;
  }

  /** The process that all others of the server are children of. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get port(): number {
    return this.#port;
  }

  /** Runs SQL and gives what it prints, a row a line. */
  sql(text: string, url = this.url()): string {
    const args = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'];
    return execFileSync(required('psql'), [...args, '--dbname', url, '--command', text], {
      encoding: 'utf8',
    }).trim();
  }

  /** Starts the server again after {@link kill}. */
  async run(): Promise<void> {
    const { uid, gid } = owner();
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.#port),
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: '60',
      ...this.#settings,
    };
    const changed = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(required('postgres'), ['-D', join(this.#folder, 'data'), ...changed], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: this.#folder,
      uid,
      gid,
    });
    this.#process = server;
    process.once('exit', () => server.kill('SIGQUIT')); // where a test run breaks off
    await new Promise<void>((resolve, reject) => {
      let said = '';
      server.stderr.on('data', (data: Buffer) => {
        if (said.length < 100_000) said += data;
        if (said.includes('ready to accept connections')) resolve();
      });
      server.once('exit', () => reject(new Error(`postgres did not start: ${said}`)));
      server.once('error', reject);
    });
  }

  /** At once, as in a crash. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async remove(): Promise<void> {
    await this.#end('SIGQUIT');
    rmSync(this.#folder, { recursive: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  }
}

function binary(name: string): string | undefined {
  let versions: string[] = [];
  try {
    versions = readdirSync(debian).sort((one, other) => Number(other) - Number(one));
  } catch {
    // another system: in the PATH
  }
  const folders = versions.map((version) => join(debian, version, 'bin', name));
  return [...folders, name].map(findProgram).find((path) => path !== undefined);
}

function required(name: string): string {
  const path = binary(name);
  if (!path) throw new Error(`${name} is missing: apt-get install postgresql`);
  return path;
}

/** The server refuses to run as root; Debian's package brings a user. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
