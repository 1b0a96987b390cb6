import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { ownCard } from '../own-card.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { emulate, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

const soon = { timeout: 60_000, interval: 20 };
const idle = '/control/terminals/V400m-1/screen?until=idle';

describe.runIf(hasPostgres() && hasNats())('operating terminals at another gateway', () => {
  const postgres = prepareDatabasesForFile();

  const world = async () => {
    const all = await twoGateways(await (await postgres()).newGatewaysUrl());
    await emulate(all.one, all.terminals);
    expect(await all.one.control('GET', idle)).toMatchObject({ status: 200 });
    return all;
  };

  test('shows their screens, and acts on them (B188)', async () => {
    const { two } = await world();
    expect(await two.control('GET', '/control/terminals')).toMatchObject({
      body: [
        { poiId: 'V400m-1', emulated: true, screen: expect.stringMatching(/idle|starting/) },
        { poiId: 'V400m-2', emulated: true },
      ],
    });
    expect(await two.control('GET', idle)).toMatchObject({ status: 200, body: { state: 'idle' } });
    const off = await two.control('POST', '/control/terminals/V400m-1/power', { on: false });
    expect(off).toMatchObject({ status: 200, body: { terminal: 'V400m-1', screen: { state: 'off' } } });
    const again = two.control('GET', idle);
    await two.control('POST', '/control/terminals/V400m-1/power', { on: true });
    expect(await again).toMatchObject({ status: 200, body: { state: 'idle' } });
    expect(await two.control('GET', '/control/terminals/V400m-1/receipts')).toEqual({
      status: 200,
      body: [],
    });
  });

  testInCi('shows which terminals are connected there, as long as that gateway lives', async () => {
    const { one, two, terminals } = await world();
    const gateway_id = one.cluster?.gateways.id ?? '';
    await one.store.write((db) =>
      db
        .insertInto('terminal_owners')
        .values(terminals.map(({ id }) => ({ terminal_id: id, gateway_id, epoch: 1, connected: 1 })))
        .onConflict((conflict) => conflict.column('terminal_id').doNothing())
        .execute(),
    );
    expect((await two.control('GET', '/control')).body.counts).toMatchObject({ connectedTerminals: 2 });
    expect((await two.control('GET', '/control/terminals')).body).toMatchObject([
      { connected: true },
      { connected: true },
    ]);
    await one.close();
    expect((await two.control('GET', '/control')).body.counts).toMatchObject({ connectedTerminals: 0 });
  });

  test('cannot be repeated by somebody on the same NATS who sends a sealed command again', async () => {
    const { nats, one, two } = await world();
    const stranger = await connect({ servers: nats.url() });
    onTestFinished(() => stranger.close());
    const overheard = stranger.subscribe('pinpad.*.hands.V400m-1')[Symbol.asyncIterator]();
    await stranger.flush();
    await two.control('POST', '/control/terminals/V400m-1/power', { on: false });
    const { value: command } = await overheard.next();
    await one.control('POST', '/control/terminals/V400m-1/power', { on: true });
    expect(await one.control('GET', idle)).toMatchObject({ status: 200 });
    await stranger.request(command.subject, command.data, { timeout: 60_000 });
    const { body } = await one.control('GET', '/control/terminals/V400m-1/screen');
    expect(body).toMatchObject({ state: 'idle' });
  });

  testInCi('gives the same answer to an impossible action', async () => {
    const { one, two, another } = await world();
    for (const gateway of [one, two]) {
      const unknown = await gateway.control('POST', '/control/terminals/V400m-1/insert', { card: 'no-card' });
      expect(unknown).toMatchObject({ status: 404, body: { error: 'notFound' } });
      const empty = await gateway.control('POST', '/control/terminals/V400m-1/remove');
      expect(empty).toMatchObject({ status: 409, body: { error: 'conflict' } });
    }
    expect(await two.control('POST', '/control/terminals/V400m-9/remove')).toMatchObject({ status: 404 });
    await one.close();
    const third = await another('three');
    for (const [method, path] of [
      ['POST', '/control/terminals/V400m-1/remove'],
      ['GET', '/control/terminals/V400m-1/screen'],
    ] as const)
      expect(await third.control(method, path)).toMatchObject({
        status: 409,
        body: { message: 'No emulator hosts the terminal V400m-1 at the moment' },
      });
  });

  test('shares the cards: a card added at one gateway is in every tray', async () => {
    const { one, two, terminals, another } = await world();
    const three = await another('three');
    await emulate(three, terminals.slice(1));
    await vi.waitFor(() => expect(one.emulatorServer.hosts('V400m-2')).toBe(false), soon);
    // The other gateways do not know the new gateway yet. On a busy machine, the new gateway's answer may come after
    // the other gateways have stopped waiting.
    await vi.waitFor(async () => {
      const { body } = await two.control('GET', '/control/terminals');
      expect(body).toMatchObject([{ emulated: true }, { emulated: true }]);
    }, soon);
    const card = { ...ownCard, pin: '1234', chip: { verification: 'offlinePin' } };
    expect(await two.control('POST', '/control/cards', card)).toMatchObject({
      status: 200,
      body: { id: 'mine' },
    });
    for (const poiId of ['V400m-1', 'V400m-2']) {
      const inserted = await one.control('POST', `/control/terminals/${poiId}/insert`, { card: 'mine' });
      expect(inserted).toMatchObject({ status: 200, body: { terminal: poiId } });
    }
  });

  testInCi(
    'follows an emulator that connects to another gateway, even if the former does not notice',
    async () => {
      const { one, two, terminals } = await world();
      await emulate(two, terminals.slice(0, 1));
      await vi.waitFor(() => expect(one.emulatorServer.hosts('V400m-1')).toBe(false), soon);
      expect(one.emulatorServer.hosts('V400m-2')).toBe(true);
      expect(await one.control('GET', '/control/terminals/V400m-1/screen')).toMatchObject({ status: 200 });
      const { body } = await one.control('GET', '/control/terminals');
      expect(body).toMatchObject([{ emulated: true }, { emulated: true }]);
    },
  );

  testInCi(
    'reports what cannot be reached while NATS is gone, and reaches it when NATS is back',
    async () => {
      const { nats, one, two } = await world();
      await nats.kill();
      await vi.waitFor(async () => {
        expect(await two.control('GET', '/control/terminals/V400m-1/screen')).toMatchObject({
          status: 409,
          body: { message: expect.stringContaining('the other gateways cannot be reached over NATS') },
        });
      }, soon);
      expect(await one.control('GET', '/control/terminals/V400m-1/screen')).toMatchObject({ status: 200 });
      await nats.run();
      await vi.waitFor(async () => {
        expect(await two.control('GET', '/control/terminals/V400m-1/screen')).toMatchObject({ status: 200 });
      }, soon);
      await vi.waitFor(async () => {
        const { body } = await two.control('GET', '/control/terminals');
        expect(body).toMatchObject([{ emulated: true }, { emulated: true }]);
      }, soon);
    },
  );
});
