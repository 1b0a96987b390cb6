import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encode } from '../../shared/nexo/encode.fixture.ts';
import type { MessageBody, MessageKind } from '../../shared/nexo/message.ts';
import { largestFrameBytes } from '../../shared/transport/largest-frame.ts';
import { recordKinds } from '../../shared/transport/records.ts';
import { sharedSocketProtocol } from '../../shared/transport/shared-socket.ts';
import { scaledDraws } from '../draws.ts';
import { dialAs, headersOf, linkAs, type OwnTerminal, provisionOwnTerminal } from '../own-terminal.ts';
import { frameBytes, opcodes } from '../raw-web-socket.ts';
import { openStack, type StackHarness } from '../stack/stack-harness.ts';
import {
  encodeTextFrame,
  exampleBodies,
  exampleTransactionId,
  fuzzedFrames,
  fuzzedSharedFrames,
  recordBytes,
} from './frames.ts';

/**
 * Checks that no frame on /poi and /emulator causes a crash, a hang, an "internal error", or an effect on other links.
 */

const runs = scaledDraws(40);
const seed = Number(process.env.PINPAD_FUZZ_SEED ?? 20_260_101);

/** The close codes with which a misused link may end. */
const closings = [1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 4001, 4002];

let harness: StackHarness;
let own: OwnTerminal;
beforeAll(async () => {
  harness = await openStack();
  own = await provisionOwnTerminal(harness);
});
afterAll(() => harness.close());

async function stillTakesAPayment(): Promise<void> {
  const paying = harness.pay(10);
  await harness.settled();
  const tapped = await harness.act('tap', { card: 'phone' });
  expect(tapped.body).toMatchObject({ terminal: harness.poiId });
  expect((await paying).body.response.result).toBe('success');
  expect((await harness.control('GET', '/books')).body).toMatchObject({ agree: true });
  expect(harness.journal('warning').filter(({ data }) => /Error|^link/.test(JSON.stringify(data)))).toEqual(
    [],
  );
}

for (const path of ['/poi', '/emulator'] as const) {
  test(`no frames on ${path} do harm`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fuzzedFrames(path), { minLength: 1, maxLength: 6 }), async (sent) => {
        const link = await linkAs(harness, path, own);
        for (const bytes of sent) link.write(bytes);
        const code = await link.verdict();
        link.destroy();
        if (code !== undefined) expect(closings).toContain(code);
      }),
      { seed, numRuns: runs },
    );
    await stillTakesAPayment();
  });
}

test('no records on a shared socket do harm', async () => {
  const headers = headersOf(harness, own);
  const opening = JSON.stringify(headers);
  const openings = [opening, JSON.stringify({ ...headers, authorization: 'Bearer wrong' }), '{}'];
  await fc.assert(
    fc.asyncProperty(fc.array(fuzzedSharedFrames(openings), { minLength: 1, maxLength: 6 }), async (sent) => {
      const socket = await linkAs(harness, '/poi', own, { 'Sec-WebSocket-Protocol': sharedSocketProtocol });
      socket.write(frameBytes(opcodes.binary, recordBytes(recordKinds.open, 1, opening)));
      const opened = await socket.next();
      expect(opened?.payload[0]).toBe(recordKinds.opened);
      for (const bytes of sent) socket.write(bytes);
      const code = await socket.verdict();
      socket.destroy();
      if (code !== undefined) expect(closings).toContain(code);
    }),
    { seed, numRuns: runs },
  );
  await stillTakesAPayment();
});

/**
 * The client ends each of these connections after its last bytes. Otherwise the gateway would wait for the rest of
 * an unfinished frame.
 */
test.each(['/poi', '/emulator'] as const)('no bytes on %s do harm', async (path) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 4 }), async (sent) => {
      const link = await linkAs(harness, path, own);
      for (const bytes of sent) link.write(bytes);
      link.socket.end();
      while (await link.next()) {
        // the link has to end; what the gateway answers does not matter
      }
    }),
    { seed, numRuns: runs },
  );
  await stillTakesAPayment();
});

const hostile: [string, Buffer, number][] = [
  ['a text that is not UTF-8', frameBytes(opcodes.text, Buffer.from([0xff, 0xfe, 0x80])), 1007],
  ['a text that is not JSON', encodeTextFrame('hello'), 1007],
  ['a binary frame', frameBytes(opcodes.binary, Buffer.from('{}')), 1003],
  ['a frame one byte too big', frameBytes(opcodes.text, Buffer.alloc(largestFrameBytes + 1, 0x20)), 1009],
  ['a frame that is not masked', frameBytes(opcodes.text, Buffer.from('{}'), { masked: false }), 1002],
  ['a reserved opcode', frameBytes(3, Buffer.from('{}')), 1002],
  ['a continuation of nothing', frameBytes(opcodes.continuation, Buffer.from('{}')), 1002],
  ['a reserved bit', frameBytes(opcodes.text, Buffer.from('{}'), { reserved: 4 }), 1002],
  ['200 levels of JSON', encodeTextFrame('['.repeat(200) + ']'.repeat(200)), 1007],
  ['100 000 levels of JSON', encodeTextFrame('['.repeat(100_000) + ']'.repeat(100_000)), 1007],
  ['an acknowledgement of what was never sent', encodeTextFrame('{"Acknowledged":99}'), 1008],
  ['a refusal whose reason is no text', encodeTextFrame('{"Refused":99,"Reason":{"toString":1}}'), 1008],
  ['no message of ours', encodeTextFrame('{"hello":"world"}'), 1007],
];

for (const path of ['/poi', '/emulator'] as const) {
  test.each(hostile)(`${path}: %s`, async (_what, bytes, code) => {
    const link = await linkAs(harness, path, own);
    link.write(bytes);
    expect(await link.verdict()).toBe(code);
    link.destroy();
  });
}

const say = <K extends MessageKind>(kind: K, poiId = 'OWN-1') =>
  encode(kind, { serviceId: 'ABC123', poiId }, exampleBodies[kind] as MessageBody<K>);

test.each([
  ["another terminal's message", say('EventNotification', 'V400m-100000001')],
  ['a message that only the gateway sends', say('PaymentRequest')],
  ['an answer without a request', say('TransactionStatusResponse')],
])('on /poi, %s closes the link as a violation of the protocol', async (_what, text) => {
  const link = await linkAs(harness, '/poi', own);
  link.text(text);
  expect(await link.verdict()).toBe(1008);
  link.destroy();
});

test("on /poi, a message about another terminal's payment closes the link", async () => {
  const paying = harness.pay(10);
  await harness.until('presentCard');
  const [payment] = (await harness.control<{ identifier: string }[]>('GET', '/payments?limit=1')).body;
  const theirs = payment?.identifier ?? '';
  for (const kind of ['AcquirerRequest', 'PaymentResponse'] as const) {
    const link = await linkAs(harness, '/poi', own);
    link.text(say(kind).replaceAll(exampleTransactionId, theirs));
    expect(await link.verdict()).toBe(1008);
    link.destroy();
  }
  await harness.act('press', { key: 'cancel' });
  expect((await paying).body.response.errorCondition).toBe('cancel');
});

test('on /emulator, terminals of another emulator need their keys, and messages about them are ignored', async () => {
  const link = await linkAs(harness, '/emulator', own);
  const screen = {
    ...(await harness.control<object>('GET', `/terminals/${harness.poiId}/screen`)).body,
    state: 'off',
  };
  link.text(JSON.stringify({ type: 'screen', poiId: harness.poiId, screen }));
  expect(await link.verdict()).toBeUndefined();
  expect((await harness.control('GET', `/terminals/${harness.poiId}/screen`)).body).toMatchObject({
    state: 'idle',
  });
  link.text(
    JSON.stringify({ type: 'hello', terminals: [{ poiId: harness.poiId, deviceKey: own.deviceKey }] }),
  );
  expect(await link.verdict()).toBe(1008);
  link.destroy();
});

test.each([
  ['a wrong key', { deviceKey: 'dev_wrong' }, 401],
  ['no such terminal', { poiId: 'V400m-9' }, 401],
  ["another terminal's key", { poiId: 'V400m-100000001' }, 401],
])('%s is not admitted', async (_what, claim, status) => {
  for (const path of ['/poi', '/emulator'] as const)
    expect(await dialAs(harness, path, { ...own, ...claim })).toBe(status);
});

test('after all these attacks the stack still takes a payment', stillTakesAPayment);
