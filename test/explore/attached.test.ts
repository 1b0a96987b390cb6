import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ExploreServer } from '../../explore/run/explore-server.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { explore, startPinpad } from '../../testing/index.ts';
import { testWith } from '../optional-programs.ts';

/** Checks the environment variables that `pinpad explore` gives to tests and points of sale. */

/** Sets environment variables until the test is over. */
function given(variables: Record<string, string>): void {
  const before = { ...process.env };
  onTestFinished(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
  Object.assign(process.env, variables);
}

/** Starts a gateway as a run of `pinpad explore` does, and returns the variables that lead programs to it. */
async function gatewayOfARun() {
  const options = { port: 0, memory: true, clock: 'skipping', logLevel: 'silent' } as const;
  const stack = await startStack(resolveConfig(undefined, options));
  onTestFinished(() => stack.close());
  const variables = {
    PINPAD_URL: stack.url,
    PINPAD_TOKEN: stack.tokens[0]?.token ?? '',
    PINPAD_CONTROL_TOKEN: stack.controlToken,
    PINPAD_TERMINAL: stack.terminals[1]?.identifier ?? '',
    PINPAD_BELIEFS_URL: stack.beliefs[0]?.url ?? '',
    PINPAD_EXPLORE_URL: 'http://127.0.0.1:9/of-a-run',
  };
  return { stack, variables };
}

describe('startPinpad in a run of pinpad explore', () => {
  test('uses the gateway of the run and its terminal, and leaves both running (B300)', async () => {
    const { stack, variables } = await gatewayOfARun();
    given(variables);
    const pinpad = await startPinpad();
    expect(pinpad).toMatchObject({ url: stack.url, token: stack.tokens[0]?.token });
    expect(pinpad.terminalId()).toBe(stack.terminals[1]?.identifier);
    expect(pinpad.beliefsUrl).toBe(stack.beliefs[0]?.url);
    await pinpad.world.shopper({ card: 'visa-credit', entry: 'Contactless' });
    await pinpad.pos.pay({ amount: 12.5, reference: 'order-1' });
    await pinpad.expect({ outcome: 'success' });
    await pinpad.clock.pass('2 h');
    await pinpad.close();
    const sales = stack.runtime.journal.since().filter(({ kind }) => kind === 'ledger.authorized');
    expect(sales).toHaveLength(1);
    expect(stack.runtime.clock.now()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1, 10, 59));
    expect((await fetch(`${stack.url}/openapi.json`)).status).toBe(200);
  });

  test('starts its own gateway if only the address of a gateway is set (B300)', async () => {
    given({ PINPAD_URL: 'http://127.0.0.1:9', PINPAD_TOKEN: 'token', PINPAD_EXPLORE_URL: '' });
    await using pinpad = await startPinpad();
    expect(pinpad.url).not.toBe('http://127.0.0.1:9');
  });

  test.each([
    [{ keepsData: true }, /^keepsData: "pinpad explore" has already started the gateway of this run/],
    [{ clock: 'real', terminals: 1, webhooks: ['pos'] }, /^clock: .*"pinpad explore --config FILE"$/],
    [{ currency: 'CAD', terminals: 2 }, /^currency, terminals: /],
  ] as const)('says that %j is impossible (B301)', async (options, says) => {
    given({ ...(await gatewayOfARun()).variables });
    await expect(startPinpad(options as object)).rejects.toThrow(says);
  });

  test('says which variable of the run is missing', async () => {
    given({ PINPAD_URL: 'http://127.0.0.1:9', PINPAD_EXPLORE_URL: 'http://127.0.0.1:9', PINPAD_TOKEN: '' });
    await expect(startPinpad()).rejects.toThrow('PINPAD_EXPLORE_URL is set, but PINPAD_TOKEN is not');
  });
});

/** Starts the server that gives one run after another to a command that does not end between runs. */
async function runsFrom(count: number) {
  const server = await ExploreServer.listen(makeSeededRandom(1));
  onTestFinished(() => server.close());
  const made: string[] = [];
  const all = (async () => {
    for (let run = 1; run <= count; run++) {
      const variables = { PINPAD_URL: `http://127.0.0.1:${run}`, PINPAD_TERMINAL: `t${run}`, OWN: `o${run}` };
      await server.offer(variables).done;
      made.push(`o${run}`);
    }
    server.over();
  })();
  return { server, made, all };
}

describe('a command that keeps running (B302)', () => {
  test('in TypeScript sells once per run, with its variables, until all is done', async () => {
    const { server, made, all } = await runsFrom(3);
    given({ PINPAD_EXPLORE_URL: server.url });
    const seen: unknown[] = [];
    const count = await explore(async ({ url, terminal, variables }) => {
      expect(made).toHaveLength(seen.length);
      seen.push([url, terminal, variables.OWN, process.env.OWN]);
    });
    await all;
    expect(count).toBe(3);
    expect(seen).toEqual(
      [1, 2, 3].map((run) => [`http://127.0.0.1:${run}`, `t${run}`, `o${run}`, `o${run}`]),
    );
  });

  test('that fails leaves its run open, and the next one that asks gets the same run', async () => {
    const { server, made, all } = await runsFrom(1);
    given({ PINPAD_EXPLORE_URL: server.url });
    const failing = explore(async () => {
      throw new Error('the shop is closed');
    });
    await expect(failing).rejects.toThrow('the shop is closed');
    expect(made).toEqual([]);
    expect(await explore(async ({ id }) => expect(id).toBe('run-1'))).toBe(1);
    await all;
  });

  test('says how to start it if there is no exploration', async () => {
    given({ PINPAD_EXPLORE_URL: '' });
    await expect(explore(async () => {})).rejects.toThrow(
      'run this program with "pinpad explore -- COMMAND"',
    );
  });

  testWith('python3')('in Python does the same', async () => {
    const { server, all } = await runsFrom(3);
    const program =
      'import os, explore\nfor run in explore.runs(): print(run["PINPAD_TERMINAL"], os.environ["OWN"])';
    const child = spawn('python3', ['-B', '-c', program], {
      cwd: join(import.meta.dirname, '../../examples/python'),
      env: { PATH: process.env.PATH, PINPAD_EXPLORE_URL: server.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (text) => (said += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    await all;
    expect({ code, said }).toEqual({ code: 0, said: 't1 o1\nt2 o2\nt3 o3\n' });
  });

  test('is refused without the secret of the address', async () => {
    const { server } = await runsFrom(1);
    const { origin } = new URL(server.url);
    for (const path of ['/next', '/wrong/next', '/runs/run-1/done'])
      expect((await fetch(`${origin}${path}`, { method: 'POST' })).status).toBe(404);
    server.over();
  });
});
