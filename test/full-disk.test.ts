import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makeLink, startHarnessWithQuestion } from '../gateway/credits/customer.fixture.ts';
import { day, minute } from '../gateway/saved-cards/saved-cards-harness.fixture.ts';
import { resolveConfig, StartError, startStack } from '../stack/index.ts';
import { emulatorHarness } from './emulator-harness.ts';
import { SmallDisk, testWithMounts } from './small-disk.ts';

/** Fills a real disk until the system answers ENOSPC. Meanwhile debits, refunds and payment links fall due (B68). */
testWithMounts()('what falls due while the disk is full is done once there is room again', async () => {
  const disk = SmallDisk.mount();
  onTestFinished(() => disk.unmount());
  const harness = await startHarnessWithQuestion({ folder: disk.folder });
  onTestFinished(() => harness.stop());
  const link = await makeLink(harness);
  const linkState = async () => (await harness.control('GET', `/control/credits/${link.id}`)).body.state;
  await harness.clock.advance(23 * day);
  const paid = await harness.paid(10);
  const held = (await harness.preauthorize(20)).body.debit_id;
  await harness.clock.advance(7 * day - minute);
  await harness.refund(paid, 4);

  disk.fill();
  const refused = await harness.charge(5);
  expect({ status: refused.status, error: refused.body.error }).toEqual({
    status: 503,
    error: 'unavailable',
  });
  await harness.clock.advance(2 * minute);
  expect((await harness.summary(paid)).refunds).toMatchObject([{ status: 'processing' }]);
  expect(await harness.explain(held)).toMatchObject({ state: 'preauthorized' });
  expect((await harness.capture(held)).status).toBe(409);
  expect(await linkState()).toBe('initiated');

  disk.empty();
  await harness.clock.advance(30_000);
  expect((await harness.summary(paid)).refunds).toMatchObject([{ status: 'submitted' }]);
  expect(await harness.explain(held)).toMatchObject({ state: 'voided' });
  expect(await linkState()).toBe('expired');
  expect((await harness.charge(5)).status).toBe(200);
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
});

testWithMounts()(
  'a terminal whose memory is full comes back as soon as there is room, and says so once',
  async () => {
    const disk = SmallDisk.mount();
    onTestFinished(() => disk.unmount());
    const harness = await emulatorHarness({ memory: join(disk.folder, 'terminals.sqlite') });
    const { clock, gateway, runtime, terminal, settle } = harness;
    gateway.pay('1');
    await settle();

    disk.fill();
    terminal.act({ action: 'tap', card: 'visa-credit' });
    await settle();
    await clock.advance(60_000);
    expect(terminal.screen().state).toBe('offline');
    const messages = runtime.journal
      .since()
      .flatMap((each) => (each.kind === 'warning' ? [each.data.message] : []));
    expect(messages).toEqual([
      'the terminal failed and restarts: no space left on the disk',
      'the terminal stays offline until its memory can be used: no space left on the disk',
    ]);

    disk.empty();
    await clock.advance(5_000);
    expect(terminal.screen().state).toBe('idle');
    expect(gateway.outcomes().map(({ Response }) => Response.ErrorCondition)).toEqual(['DeviceOut']);
  },
);

testWithMounts()(
  'the log has a line when the disk is full, and one when there is room, whoever was refused meanwhile',
  async () => {
    const disk = SmallDisk.mount();
    onTestFinished(() => disk.unmount());
    const harness = await startHarnessWithQuestion({ folder: disk.folder });
    onTestFinished(() => harness.stop());
    const warnings = async () => {
      const { entries } = (await harness.control('GET', '/control/journal?kind=warning')).body;
      return entries.map(({ data }: { data: { message: string } }) => data.message);
    };
    const before = (await warnings()).length;
    disk.fill();
    const refused = await Promise.all(Array.from({ length: 20 }, () => harness.charge(5)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    disk.empty();
    await harness.clock.advance(5_000);
    for (let times = 0; times < 3; times++) expect((await harness.charge(5)).status).toBe(200);
    const file = join(disk.folder, 'pinpad.sqlite');
    expect((await warnings()).slice(before)).toEqual([
      `${file} cannot be written (no space left on the disk): requests that need it are answered with 503, and scheduled work waits`,
      `${file} can be written again`,
    ]);
  },
);

testWithMounts()(
  'terminals whose memory is full are closed all the same, and deliver their last outcome again',
  async () => {
    const disk = SmallDisk.mount();
    onTestFinished(() => disk.unmount());
    const memory = join(disk.folder, 'terminals.sqlite');
    const { gateway, emulator, terminal, settle, start } = await emulatorHarness({ memory });
    gateway.pay('1');
    await settle();
    terminal.act({ action: 'tap', card: 'visa-credit' });
    await settle();
    disk.fill();
    await emulator.close();
    disk.empty();
    await start();
    await settle();
    expect(gateway.outcomes().map(({ Response }) => Response.Result)).toEqual(['Success', 'Success']);
  },
);

testWithMounts()(
  'a gateway with its data in PostgreSQL whose folder is full is refused in one line',
  async () => {
    const disk = SmallDisk.mount();
    onTestFinished(() => disk.unmount());
    disk.fill();
    const config = resolveConfig(undefined, { data: disk.folder, database: 'postgres://127.0.0.1:1/nobody' });
    await expect(startStack(config)).rejects.toThrow(
      new StartError(`cannot keep data in ${disk.folder}: no space left on the disk`),
    );
  },
);
