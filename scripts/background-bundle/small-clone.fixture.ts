import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { backgroundBundleFolderPrefix } from '../../bin/clone-bundle.js';

const project = join(import.meta.dirname, '../..');

/**
 * The program of the clone that a test makes. It prints `sources` if it runs from the sources, and otherwise the name
 * of the bundle from which it runs. With the argument `up`, it is a server that approves every payment.
 */
const main = `
import { createServer } from 'node:http';
import { basename, dirname } from 'node:path';

export async function main(argv: string[]) {
  const place = basename(dirname(import.meta.dirname));
  if (argv[2] !== 'up') return void process.stdout.write(import.meta.filename.endsWith('.ts') ? 'sources' : place);
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(JSON.stringify({ response: { result: 'success' } })));
  });
  server.listen(0, '127.0.0.1', () => {
    const url = \`http://127.0.0.1:\${(server.address() as { port: number }).port}\`;
    console.log(JSON.stringify({ url, token: '', terminals: [{ identifier: 'one' }] }));
  });
  process.once('SIGINT', () => process.exit());
}
`;

/**
 * The bundler of the clone that a test makes. It bundles only the program `main`. If the variable ASK contains an
 * address, the bundler first sends a request there and waits until the test answers.
 */
const bundling = `
import { join } from 'node:path';
import { build } from 'rolldown';

export async function bundle(folder: string) {
  if (process.env.ASK) await fetch(process.env.ASK);
  const source = join(import.meta.dirname, '../cli/main.ts');
  await build({ input: source, platform: 'node', logLevel: 'silent', output: { file: join(folder, 'cli/main.js') } });
  return [source];
}
`;

/** Makes a clone that is quick to bundle. It has the real programs for starting and for bundling in the background. */
export function smallClone(place = tmpdir()) {
  const root = mkdtempSync(join(place, 'pinpad-small-clone-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const write = (file: string, content: string) => writeFileSync(join(root, file), content);
  for (const folder of ['cli', 'console/page', 'scripts']) mkdirSync(join(root, folder), { recursive: true });
  for (const copied of [
    'bin',
    'scripts/note-sources.ts',
    'scripts/one-payment.ts',
    'scripts/background-bundle',
  ])
    cpSync(join(project, copied), join(root, copied), { recursive: true });
  for (const linked of ['node_modules', 'shared']) symlinkSync(join(project, linked), join(root, linked));
  for (const file of ['tsconfig.json', 'console/page/tsconfig.json']) write(file, '{}');
  write('package.json', '{"type":"module"}');
  write('cli/main.ts', main);
  write('scripts/bundle.ts', bundling);
  return {
    root,
    write,
    change: (text: string) => write('cli/main.ts', `${main}// ${text}\n`),
    /** Makes a bundle in this process, and resolves to the result. */
    make: async (): Promise<string> => {
      const file = join(root, 'scripts/background-bundle/make-bundle.ts');
      const { makeBundle } = await import(pathToFileURL(file).href);
      return makeBundle(root);
    },
    /** Begins to make a bundle in a separate process. Resolves when the bundler has sent its request to the test. */
    begin: async () => {
      const gate = await openGate();
      const child = spawn(process.execPath, [join(root, 'scripts/background-bundle/main.ts')], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, NODE_OPTIONS: '', ASK: gate.url },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await gate.asked;
      return { child, goOn: gate.open, outcome: async () => (await text(child.stdout)).trim() };
    },
    /** Starts the program of the clone, and returns the output: `sources`, or the name of the bundle that runs. */
    runs: (env: NodeJS.ProcessEnv = {}, ...options: string[]) =>
      execFileSync(process.execPath, [...options, join(root, 'bin/pinpad.js')], {
        env: { ...process.env, NODE_OPTIONS: '', ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    /**
     * Starts the program of the clone as a server, which runs until the test stops it. Resolves when the server is
     * ready.
     */
    up: async () => {
      const child = spawn(process.execPath, [join(root, 'bin/pinpad.js'), 'up'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      return child;
    },
    copy: (file: string) => cpSync(join(project, file), join(root, file)),
    openGate,
    bundles: () => readdirSync(root).filter((name) => name.startsWith(backgroundBundleFolderPrefix)),
  };
}

/** Starts a server that answers requests only after the test has called `open`. */
async function openGate() {
  const asked = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const server = createServer(async (_, response) => {
    asked.resolve();
    await opened.promise;
    response.end();
  });
  const connected = once(server, 'connection').then(([socket]) => socket as Socket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Resolves when the process that sent the request has ended its connection. */
  const cut = async () => void (await once(await connected, 'close'));
  return { url, asked: asked.promise, open: () => opened.resolve(), cut };
}
