import { createServer } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRuntime } from '../../../shared/create-runtime.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { hasNats, NatsServer } from '../../../test/nats-server.ts';
import { testThoroughly } from '../../../test/optional-programs.ts';
import { type HintBus, noHints } from './hints.ts';
import { openNatsHintBus } from './open-hints.ts';

const testInCi = testThoroughly();

const soon = { timeout: 20_000, interval: 10 };
const limits = { timeoutMs: 20_000 };

function runtimeOfTest(): Runtime {
  return createRuntime();
}

async function gateway(url: string, secret = 'of one database', runtime = runtimeOfTest()): Promise<HintBus> {
  const hints = await openNatsHintBus(url, secret, runtime);
  onTestFinished(() => hints.close());
  return hints;
}

async function natsServer(settings?: string): Promise<NatsServer> {
  const server = await NatsServer.start(settings);
  onTestFinished(() => server.remove());
  return server;
}

function warnings({ journal }: Runtime): string[] {
  return journal.since().map((entry) => (entry.kind === 'warning' ? entry.data.message : entry.kind));
}

/**
 * Resolves once each of the two sides receives hints from the other one. A NATS server learns of a subscription only
 * after a short time.
 */
async function heard(from: HintBus, by: HintBus): Promise<void> {
  const stop = by.subscribe('heard', () => 'yes');
  await vi.waitFor(async () => {
    expect(await from.request('heard', null, { timeoutMs: 200 })).toEqual(answer('yes'));
  }, soon);
  stop();
}

const answer = (data: unknown) => ({ is: 'answer', data });

describe.runIf(hasNats())('hints over NATS', () => {
  test('reach every other gateway of the database, but not the sender', async () => {
    const server = await natsServer();
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => gateway(server.url())));
    const got: string[] = [];
    for (const [index, hints] of [one, two, three].entries())
      hints?.subscribe('terminals.7', (data) => got.push(`${index} ${JSON.stringify(data)}`));
    for (const other of [two, three]) await heard(one as HintBus, other as HintBus);
    one?.publish('terminals.7', { payment: 'P' });
    one?.publish('terminals.8', 'another subject');
    await vi.waitFor(() => expect(got.toSorted()).toEqual(['1 {"payment":"P"}', '2 {"payment":"P"}']), soon);
  });

  test('carry questions, and report at once if nobody listens, even if only the sender does', async () => {
    const server = await natsServer();
    const [one, two] = [await gateway(server.url()), await gateway(server.url())];
    one.subscribe('hands', () => 'myself');
    expect(await one.request('hands', {}, limits)).toEqual({ is: 'nobody' });
    const stop = two.subscribe('hands', async (data) => ({ asked: data }));
    await heard(one, two);
    expect(await one.request('hands', { press: 'enter' }, limits)).toEqual(
      answer({ asked: { press: 'enter' } }),
    );
    stop();
    await vi.waitFor(async () => {
      expect(await one.request('hands', {}, { timeoutMs: 100 })).toEqual({ is: 'nobody' });
    }, soon);
  });

  test('ask all others and pass on each answer as it comes, and report at once if nobody listens', async () => {
    const server = await natsServer();
    const [one, ...others] = await Promise.all([1, 2, 3].map(() => gateway(server.url())));
    const answers: unknown[] = [];
    const ask = (timeoutMs: number) =>
      (one as HintBus).gather('journal', { after: 7 }, { timeoutMs }, (data) => answers.push(data));
    await ask(600_000);
    for (const [index, hints] of others.entries()) {
      hints.subscribe('journal', (asked) => ({ index, asked }));
      await heard(one as HintBus, hints);
    }
    await ask(100);
    expect(answers).toHaveLength(2);
    for (const index of [0, 1]) expect(answers).toContainEqual({ index, asked: { after: 7 } });
  });

  test('treat a gateway that does not answer in time as silent', async () => {
    const server = await natsServer();
    const [one, two] = [await gateway(server.url()), await gateway(server.url())];
    two.subscribe('slow', () => new Promise(() => {}));
    await heard(one, two);
    expect(await one.request('slow', {}, { timeoutMs: 50 })).toEqual({ is: 'silent' });
  });

  test('stay within their database on a shared NATS server, and ignore messages of strangers', async () => {
    const server = await natsServer();
    const runtime = runtimeOfTest();
    const [one, two] = [await gateway(server.url()), await gateway(server.url(), undefined, runtime)];
    const other = await gateway(server.url(), 'of another database');
    const got: unknown[] = [];
    two.subscribe('hands.t1', (data) => void got.push(data));
    two.subscribe('hands.t2', (data) => void got.push(data));
    await heard(one, two);
    expect(await other.request('hands.t1', {}, limits)).toEqual({ is: 'nobody' });

    const stranger = await connect({ servers: server.url() });
    onTestFinished(() => stranger.close());
    const overheard: { subject: string; data: Uint8Array }[] = [];
    stranger.subscribe('>', { callback: (_error, message) => void overheard.push(message) });
    await stranger.flush();
    one.publish('hands.t1', { press: '1234' });
    await vi.waitFor(() => expect(overheard).toHaveLength(1), soon);
    const [message] = overheard;
    expect(Buffer.from(message?.data ?? []).toString()).not.toContain('1234');

    const subject = message?.subject ?? '';
    for (const data of ['', '{', '{"press":"9"}', 'x'.repeat(900_000)]) stranger.publish(subject, data);
    stranger.publish(subject.replace('t1', 't2'), message?.data);
    const turned = Uint8Array.from(message?.data ?? []);
    turned.set([(turned.at(-1) ?? 0) ^ 1], turned.length - 1);
    stranger.publish(subject, turned);
    await stranger.flush();
    await heard(one, two);
    expect(got).toEqual([{ press: '1234' }]);
    expect(warnings(runtime)).toEqual([]);
  });

  test('are lost while the server is gone, and work again when it is back', async () => {
    const server = await natsServer();
    const runtime = runtimeOfTest();
    const [one, two] = [await gateway(server.url(), undefined, runtime), await gateway(server.url())];
    const got: unknown[] = [];
    two.subscribe('terminals.7', (data) => void got.push(data));
    await heard(one, two);
    await server.kill();
    await vi.waitFor(() => expect(warnings(runtime)).toHaveLength(1), soon);
    expect(warnings(runtime)[0]).toContain('payments go on');
    one.publish('terminals.7', 'lost');
    expect(await one.request('terminals.7', {}, limits)).toEqual({ is: 'unreachable' });
    await server.run();
    await vi.waitFor(() => expect(warnings(runtime)).toHaveLength(2), soon);
    await vi.waitFor(async () => {
      one.publish('terminals.7', 'back');
      expect(got).toContain('back');
    }, soon);
    expect(got).not.toContain('lost');
  });

  test('do not wait for questions that are under way when the server goes', async () => {
    const server = await natsServer();
    const [one, two] = [await gateway(server.url()), await gateway(server.url())];
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    two.subscribe('slow', () => {
      asked();
      return new Promise(() => {});
    });
    await heard(one, two);
    const reply = one.request('slow', {}, { timeoutMs: 600_000 });
    await arrived;
    await server.kill();
    expect(await reply).toEqual({ is: 'unreachable' });
  });

  testInCi('treat a silent server as gone, and use it again once it answers', async () => {
    const server = await natsServer();
    const runtime = runtimeOfTest();
    const [one, two] = [await gateway(server.url(), undefined, runtime), await gateway(server.url())];
    await heard(one, two);
    server.pause();
    await vi.waitFor(() => expect(warnings(runtime)).toHaveLength(1), soon);
    server.goOn();
    await vi.waitFor(() => expect(warnings(runtime)).toHaveLength(2), soon);
    await heard(one, two);
  });

  test('let a gateway start without the server, warn once, and connect when the server is there', async () => {
    const server = await natsServer();
    await server.kill();
    const runtime = runtimeOfTest();
    const one = await gateway(server.url('pos:never-to-be-seen'), undefined, runtime);
    expect(warnings(runtime)).toEqual([
      `NATS at 127.0.0.1:${server.port} cannot be used (connection refused): payments go on, but the terminals and journals of other gateways cannot be reached`,
    ]);
    await server.run();
    await vi.waitFor(
      () =>
        expect(warnings(runtime).slice(1)).toEqual([`NATS at 127.0.0.1:${server.port} is reachable again`]),
      soon,
    );
    await heard(one, await gateway(server.url()));
  });

  test('connect with a password or a token, which no warning contains', async () => {
    const withUser = await natsServer('authorization { user: pos, password: "never:to be-seen" }');
    await heard(
      await gateway(withUser.url('pos:never%3Ato%20be-seen')),
      await gateway(withUser.url('pos:never%3Ato%20be-seen')),
    );
    const withToken = await natsServer('authorization { token: never-to-be-seen }');
    await heard(
      await gateway(withToken.url('never-to-be-seen')),
      await gateway(withToken.url('never-to-be-seen')),
    );
    const runtime = runtimeOfTest();
    await gateway(withToken.url('another-secret'), undefined, runtime);
    expect(warnings(runtime).join()).toMatch(
      /^NATS at 127\.0\.0\.1:\d+ cannot be used \('?Authorization Violation/i,
    );
    expect(warnings(runtime).join()).not.toContain('secret');
  });

  test('report a subject that the user may not subscribe to, and work for the rest', async () => {
    const server = await natsServer(
      'authorization { users: [{ user: a, password: b, permissions: { subscribe: { deny: ["pinpad.*.secret"] } } }] }',
    );
    const runtime = runtimeOfTest();
    const [one, two] = [
      await gateway(server.url('a:b')),
      await gateway(server.url('a:b'), undefined, runtime),
    ];
    two.subscribe('secret', () => {});
    await vi.waitFor(() => expect(warnings(runtime).join()).toContain('Permissions Violation'), soon);
    await heard(one, two);
  });

  test('survive a handler that fails, which gives no answer', async () => {
    const server = await natsServer();
    const runtime = runtimeOfTest();
    const [one, two] = [await gateway(server.url()), await gateway(server.url(), undefined, runtime)];
    two.subscribe('broken', () => {
      throw new Error('what is this');
    });
    await heard(one, two);
    expect(await one.request('broken', {}, { timeoutMs: 100 })).toEqual({ is: 'silent' });
    expect(warnings(runtime).join()).toContain('this gateway cannot handle: what is this');
    await heard(one, two);
  });

  test('use any one of several servers', async () => {
    const server = await natsServer();
    const gone = await natsServer();
    await gone.kill();
    await heard(await gateway(`${gone.url()},${server.url()}`), await gateway(server.url()));
  });
});

test('a server of another protocol is not taken for NATS, and does no harm', async () => {
  const other = createServer((socket) =>
    socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  );
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const runtime = runtimeOfTest();
  const { port } = other.address() as { port: number };
  const one = await gateway(`nats://127.0.0.1:${port}`, undefined, runtime);
  expect(warnings(runtime)).toHaveLength(1);
  expect(await one.request('hands', {}, limits)).toEqual({ is: 'unreachable' });
});

test.each(['', 'nats://', 'http://host', 'nats://host/path', 'nats://one,two', 'host:4222'])(
  '%j is not a valid address of NATS',
  async (address) => {
    await expect(gateway(address)).rejects.toThrow('the setting "nats" must be an address such as');
  },
);

test('a gateway without NATS reaches no other, and nothing fails', async () => {
  const stop = noHints.subscribe('terminals.7', () => {});
  noHints.publish('terminals.7', {});
  expect(await noHints.request('terminals.7', {}, limits)).toEqual({ is: 'unreachable' });
  await noHints.gather('journal', {}, limits, () => expect.fail());
  stop();
  await noHints.close();
});
