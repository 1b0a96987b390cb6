import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Runtime } from '../runtime.ts';
import { largestFrameBytes } from './largest-frame.ts';
import {
  closeCodes,
  type Link,
  LinkProtocolError,
  type MessageHandler,
  UnreadableMessageError,
} from './link.ts';
import { DialError } from './link-client.ts';
import { createLinkHarness, type Dial, linkDialers } from './link-harness.fixture.ts';

const closing = (link: Link) =>
  new Promise<{ code: number; reason: string }>((resolve) =>
    link.onClosed((code, reason) => resolve({ code, reason })),
  );

describe.each(linkDialers)('a link on %s', (_way, dialler) => {
  const setup = (handler?: MessageHandler) => createLinkHarness(dialler, handler);

  test('messages arrive in order and are acknowledged once handled', async () => {
    const seen: unknown[] = [];
    const { connect, settled } = await setup((json) => void seen.push(json));
    const client = await connect();
    const acknowledged: number[] = [];
    for (const n of [1, 2, 3]) client.send(JSON.stringify({ n }), () => acknowledged.push(n));
    await settled();
    expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(acknowledged).toEqual([1, 2, 3]);
  });

  test('a message still being handled holds back the acknowledgement of those after it', async () => {
    let finish = () => {};
    const { connect, settled, runtime } = await setup((json) => {
      if ((json as { n: number }).n !== 1) return undefined;
      const working = runtime.inFlight.begin();
      working(); // from now on nothing counts as in flight, as when a terminal waits for a person
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const client = await connect();
    const acknowledged: number[] = [];
    client.send('{"n":1}', () => acknowledged.push(1));
    client.send('{"n":2}', () => acknowledged.push(2));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledged).toEqual([]);
    finish();
    await settled();
    expect(acknowledged).toEqual([1, 2]);
  });

  test('a message is acknowledged together with those that came with it and are still being handled', async () => {
    let finish = () => {};
    const { connect, accepted, settled } = await setup((json) => {
      if ((json as { n: number }).n === 1) return undefined;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const client = await connect();
    const acknowledged: number[] = [];
    client.send('{"n":1}', () => acknowledged.push(1));
    client.send('{"n":2}', () => acknowledged.push(2));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([accepted.length, acknowledged]).toEqual([1, []]);
    finish();
    await settled();
    expect(acknowledged).toEqual([1, 2]);
  });

  test('a message that is not acknowledged in time ends the link', async () => {
    const { connect, accepted, clock, settled } = await setup();
    const client = await connect();
    await settled();
    accepted[0]?.cut();
    const closed = closing(client);
    client.send('{}');
    await clock.advance(9_999);
    expect(client.open).toBe(true);
    await clock.advance(1);
    expect((await closed).code).toBe(closeCodes.unacknowledged);
  });

  test('a link that answers pings stays open, and a link that is cut is detected at the second ping', async () => {
    const { connect, accepted, settled } = await setup();
    await connect();
    await settled();
    const server = accepted[0] as Link;
    for (let round = 0; round < 3; round++) {
      server.ping();
      await settled();
    }
    expect(server.open).toBe(true);
    server.cut();
    expect(server.open).toBe(true);
    const client = await connect();
    await settled();
    client.cut();
    const other = accepted[1] as Link;
    other.ping();
    await settled();
    other.ping();
    await settled();
    expect(other.open).toBe(false);
  });

  test('a cut link sends nothing, receives nothing and does not notify the other end', async () => {
    const seen: unknown[] = [];
    const { connect, accepted, settled } = await setup((json) => void seen.push(json));
    const received: unknown[] = [];
    const client = await connect((link) => link.handle((json) => void received.push(json)));
    await settled();
    client.cut();
    client.send('{"lost":true}');
    accepted[0]?.send('{"lost":true}');
    await settled();
    expect([seen, received]).toEqual([[], []]);
    expect(accepted[0]?.open).toBe(true);
  });

  test('a slow link delays everything in both directions, and keeps the order', async () => {
    const seen: string[] = [];
    const { connect, settled, clock } = await setup((json) => {
      seen.push(`${(json as { n: number }).n} after ${clock.now() - start}`);
    });
    const start = clock.now();
    const client = await connect();
    client.slowDown(500);
    client.send('{"n":1}', () => seen.push(`1 acknowledged after ${clock.now() - start}`));
    await clock.advance(100);
    client.slowDown(0);
    client.send('{"n":2}');
    await settled();
    expect(seen).toEqual([]);
    await clock.advance(400);
    expect(seen).toEqual(['1 after 500', '1 acknowledged after 500', '2 after 500']);
    client.slowDown(2000);
    client.send('{"n":3}', () => seen.push(`3 acknowledged after ${clock.now() - start}`));
    await clock.advance(4000);
    expect(seen.slice(3)).toEqual(['3 after 2500', '3 acknowledged after 4500']);
  });

  test('messages on their way over a slow link are lost when the link ends', async () => {
    const seen: unknown[] = [];
    const { connect, settled, clock, accepted } = await setup((json) => void seen.push(json));
    const client = await connect();
    await settled();
    client.slowDown(500);
    client.send('{"lost":true}');
    accepted[0]?.close();
    await settled();
    await clock.advance(1000);
    expect([client.open, seen]).toEqual([false, []]);
  });

  test('messages on their way over a slow link never arrive if the cable is pulled', async () => {
    const seen: unknown[] = [];
    const { connect, settled, clock, accepted } = await setup((json) => void seen.push(json));
    const received: unknown[] = [];
    const client = await connect((link) => link.handle((json) => void received.push(json)));
    await settled();
    client.slowDown(500);
    client.send('{"lost":true}');
    accepted[0]?.send('{"lost":true}');
    accepted[0]?.ping();
    await settled();
    client.cut();
    await clock.advance(1_000);
    expect([seen, received]).toEqual([[], []]);
    accepted[0]?.ping();
    expect([accepted[0]?.open, client.open]).toEqual([false, true]);
    await settled();
  });

  test('a message handled just before the cable is pulled is neither acknowledged nor refused', async () => {
    const { connect, accepted, settled, clock } = await setup((json) => {
      accepted[0]?.cut();
      if ((json as { bad?: true }).bad) throw new UnreadableMessageError('bad');
    });
    for (const text of ['{}', '{"bad":true}']) {
      const client = await connect();
      const answers: string[] = [];
      client.send(
        text,
        () => answers.push('acknowledged'),
        (reason) => answers.push(reason),
      );
      await settled();
      expect(answers).toEqual([]);
      accepted.shift();
      await clock.advance(10_000);
      expect(client.open).toBe(false);
    }
  });

  test('a cut link sends no pings, and does not end by itself', async () => {
    const { connect, accepted, settled } = await setup();
    const client = await connect();
    await settled();
    client.cut();
    for (let pings = 0; pings < 3; pings++) client.ping();
    await settled();
    expect([client.open, accepted[0]?.open]).toEqual([true, true]);
  });

  test('a link breaks if it is so slow that acknowledgements come too late', async () => {
    const { connect, clock, settled } = await setup();
    const client = await connect();
    await settled();
    client.slowDown(5_001);
    const closed = closing(client);
    client.send('{}');
    await clock.advance(10_000);
    expect((await closed).code).toBe(closeCodes.unacknowledged);
  });

  test.each([
    ['a wrong key', 'wrong', '/here', 401],
    ['an unknown path', 'right', '/nowhere', 404],
  ])('%s is refused before the upgrade', async (_what, key, path, status) => {
    const { connect } = await setup();
    const refusal = await connect(undefined, key, path).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DialError);
    expect((refusal as DialError).status).toBe(status);
  });

  test('an address without a server is a DialError without a status', async () => {
    const { runtime } = await setup();
    const refusal = await dialler(runtime)({ url: 'ws://127.0.0.1:1/here', headers: {} }, () => {}).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(DialError);
    expect((refusal as DialError).status).toBeUndefined();
  });

  test('a handler that refuses a message closes the link with its code and reason', async () => {
    const { connect } = await setup(() => {
      throw new LinkProtocolError(closeCodes.policy, 'not your turn');
    });
    const client = await connect();
    const closed = closing(client);
    client.send('{}');
    expect(await closed).toEqual({ code: closeCodes.policy, reason: 'not your turn' });
  });

  test('a handler that fails closes the link as our own fault, with an entry in the journal', async () => {
    const { connect, runtime } = await setup(async () => {
      throw new TypeError('boom');
    });
    const client = await connect();
    const closed = closing(client);
    client.send('{}');
    expect((await closed).code).toBe(1011);
    expect(runtime.journal.since().some((entry) => JSON.stringify(entry).includes('boom'))).toBe(true);
  });

  test('an unreadable message is refused by name, after earlier messages and before later ones', async () => {
    let finish = () => {};
    const { connect, settled } = await setup((json) => {
      const { n } = json as { n: number };
      if (n % 2 === 0) throw new UnreadableMessageError(`${n} is even`);
      if (n > 1) return undefined;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const client = await connect();
    const received: string[] = [];
    for (const n of [1, 2, 3, 4]) {
      const refused = (reason: string) => received.push(reason);
      client.send(JSON.stringify({ n }), () => received.push(`${n}`), refused);
    }
    client.send('{"n":6}');
    client.send('{"n":7}', () => received.push('7'));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(received).toEqual([]);
    finish();
    await settled();
    expect(received).toEqual(['1', '2 is even', '3', '4 is even', '7']);
    expect(client.open).toBe(true);
  });

  test('a message whose handling fails while an earlier one is handled closes the link, and affects no other', async () => {
    let finish = () => {};
    const { connect } = await setup(async (json) => {
      if ((json as { n: number }).n === 2) throw new LinkProtocolError(closeCodes.policy, 'not that');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const client = await connect();
    const closed = closing(client);
    client.send('{"n":1}');
    client.send('{"n":2}');
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    finish();
    expect(await closed).toEqual({ code: 1008, reason: 'not that' });
  });

  test('a message that is too large closes the link', async () => {
    const { connect, accepted } = await setup();
    const client = await connect();
    await expect.poll(() => accepted.length).toBe(1);
    const [closed, noticed] = [closing(client), closing(accepted[0] as Link)];
    client.send(JSON.stringify('x'.repeat(largestFrameBytes)));
    expect((await closed).code).toBe(1009);
    await noticed;
  });

  test('a message that is not JSON closes the link with a reason', async () => {
    const { connect } = await setup();
    const client = await connect();
    const closed = closing(client);
    client.send('hello');
    expect(await closed).toEqual({ code: closeCodes.badMessage, reason: 'not JSON' });
  });

  test('an end without a handshake is detected by the other end', async () => {
    const { connect, accepted, settled } = await setup();
    const client = await connect();
    await settled();
    const closed = closing(accepted[0] as Link);
    client.fail(closeCodes.goingAway, 'the power went');
    expect((await closed).code).toBe(1006);
    await settled();
  });

  test('text of any language arrives as it was sent', async () => {
    const texts: unknown[] = [];
    const { connect, settled } = await setup((json) => void texts.push(json));
    const client = await connect();
    const sent = ['€ 5,00', 'Grüße', '日本語 🧾', '', 'x'.repeat(70_000)];
    for (const text of sent) client.send(JSON.stringify(text));
    await settled();
    expect(texts).toEqual(sent);
  });

  test('shutting the server down closes every link as going away', async () => {
    const { connect, settled, linkServer } = await setup();
    const client = await connect();
    await settled();
    const closed = closing(client);
    linkServer.close();
    expect((await closed).code).toBe(closeCodes.goingAway);
    await settled();
  });
});

const [[, onItsOwn]] = linkDialers as [[string, (runtime: Runtime) => Dial]];

test.each([
  ['what was not sent', '{"Refused":1}'],
  ['nothing', '{"Refused":0}'],
])('a refusal of %s closes the link', async (_what, frame) => {
  const { url } = await createLinkHarness(onItsOwn);
  const socket = new WebSocket(`${url}/here`, { headers: { authorization: 'Bearer right' } });
  await new Promise((resolve) => socket.once('open', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.send(frame);
  expect(await closed).toBe(1008);
});

test.each([
  ['a binary frame', Buffer.from([1, 2, 3]), 1003],
  ['text that is not JSON', 'hello', 1007],
  ['a frame that is too large', `"${'x'.repeat(largestFrameBytes)}"`, 1009],
  ['an acknowledgement of what was never sent', '{"Acknowledged":5}', 1008],
  ['an acknowledgement of fewer than none', '{"Acknowledged":-1}', 1008],
  ['an acknowledgement of no number', '{"Acknowledged":"all"}', 1008],
  ['a refusal of half a message', '{"Refused":0.5}', 1008],
])('%s closes the link with a code', async (_what, frame, code) => {
  const { url } = await createLinkHarness(onItsOwn);
  const socket = new WebSocket(`${url}/here`, { headers: { authorization: 'Bearer right' } });
  await new Promise((resolve) => socket.once('open', resolve));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.send(frame);
  expect(await closed).toBe(code);
});

test('an end that sends and does not read is cut off', async () => {
  const { url, accepted } = await createLinkHarness(onItsOwn);
  const flooding = new WebSocket(`${url}/here`, { headers: { authorization: 'Bearer right' } });
  await once(flooding, 'open');
  flooding.pause();
  const [link] = accepted;
  if (!link) throw new Error('not accepted');
  const closed = closing(link);
  const flood = () => {
    link.send(JSON.stringify('x'.repeat(1_000_000)));
    if (link.open) setImmediate(flood);
  };
  flood();
  expect(await closed).toEqual({ code: closeCodes.silent, reason: 'the other end does not read' });
  flooding.terminate();
});
