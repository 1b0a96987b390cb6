import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PostgresDatabases, password } from './postgres-databases.ts';
import { postgresProgram } from './postgres-programs.ts';

/** A PostgreSQL server with a folder of its own. It can be killed and started again. */
export class PostgresServer extends PostgresDatabases {
  readonly #folder: string;
  readonly #settings: Record<string, string>;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, settings: Record<string, string>) {
    super(port);
    this.#folder = folder;
    this.#settings = settings;
  }

  /**
   * @param settings settings of the server. They replace or extend the usual settings for tests. The usual settings
   * are quick, because the data of tests need not survive a crash of the machine.
   */
  static async start(settings: Record<string, string> = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(roomyMemory() ?? tmpdir(), 'pinpad-postgres-'));
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, password);
    if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
    const access = ['--username=pinpad', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const quick = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C.UTF-8'];
    const args = [`--pgdata=${join(folder, 'data')}`, ...access, ...quick];
    await promisify(execFile)(postgresProgram('initdb'), args, { cwd: folder, uid, gid });
    const server = new PostgresServer(folder, await freePort(), settings);
    await server.run();
    return server;
  }

  /** The parent of all other processes of the server. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Starts the server again after {@link kill}. */
  async run(): Promise<void> {
    const { uid, gid } = owner();
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: '60',
      ...this.#settings,
    };
    const changed = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(postgresProgram('postgres'), ['-D', join(this.#folder, 'data'), ...changed], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: this.#folder,
      uid,
      gid,
    });
    this.#process = server;
    const breaksOff = () => {
      server.kill('SIGQUIT');
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
    };
    process.once('exit', breaksOff); // ends the server if the test run breaks off
    server.once('exit', () => process.off('exit', breaksOff));
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

  /** Pauses every process of the server, until the returned function is called. */
  freeze(): () => void {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(this.pid)], { encoding: 'utf8' });
    const pids = [this.pid, ...children.trim().split(/\s+/).map(Number)];
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids)
        try {
          process.kill(pid, name);
        } catch {} // the process has ended meanwhile
    };
    signal('SIGSTOP');
    return () => signal('SIGCONT');
  }

  /** Kills the server at once, as in a crash. */
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

/**
 * If this process runs as root, returns the user that has to run the server, because the server refuses to run as root.
 * Debian's package creates this user.
 */
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

/**
 * Returns a folder in memory, if there is enough memory. A new database consists of 300 files. Writing these files
 * to a disk takes ten times as long, and the files need not survive the test.
 */
function roomyMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 4e9 ? '/dev/shm' : undefined;
  } catch {
    return undefined; // only Linux has the folder /dev/shm
  }
}
