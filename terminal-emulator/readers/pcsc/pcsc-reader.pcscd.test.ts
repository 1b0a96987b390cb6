import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { Journal } from '../../../shared/journal.ts';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { testThoroughly, testWith } from '../../../test/optional-programs.ts';
import { AttachedReader, type AttachedReaderOptions } from '../attached-reader.ts';
import { parseReaderSpec } from '../reader-spec.ts';
import { describeReaderEvent } from '../reconnecting-reader.ts';
import type { ConnectedCard, SmartcardModule } from './smartcard.ts';
import { startVpcd, vpcdDriverPath } from './vpcd-reader.fixture.ts';

/** Tests one reader at the machine's PC/SC daemon, with its cards and its slots (B204, B205). */

const smartcard = join(import.meta.dirname, '../../../node_modules/smartcard/package.json');
const asRoot = process.getuid?.() === 0 ? [] : ['being root'];
const test = testWith('pcscd', smartcard, vpcdDriverPath, ...asRoot);
const timeout = 120_000;
const sale = { entries: ['ICC', 'Contactless'], amount: 100, currency: 'EUR' } as const;

/** Attaches a reader. Records its events and status lines, and can wait for one of them. */
function attach(
  spec: string,
  options: Partial<AttachedReaderOptions> = {},
  clock = new VirtualClock({ startMs: 0 }),
) {
  const reader = new AttachedReader(
    { spec: parseReaderSpec(spec), fingerprintKey: new Uint8Array(16), ...options },
    { clock, random: makeSeededRandom(1), journal: new Journal(clock) },
  );
  onTestFinished(() => reader.close());
  const said: string[] = [];
  let more = Promise.withResolvers<void>();
  const say = (text: string) => {
    said.push(text);
    more.resolve();
    more = Promise.withResolvers();
  };
  reader.onEvent((event) => say(describeReaderEvent(event)));
  reader.onStatus(({ line }) => say(`status ${line}`));
  /**
   * Waits for an event or a status line of the reader that matches `pattern`. Then forgets this event or line, and
   * all earlier ones.
   */
  const says = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const index = said.findIndex((text) => pattern.test(text));
      const [found] = said.splice(0, index + 1).slice(-1);
      if (index >= 0) return found ?? '';
      await more.promise;
    }
  };
  return { reader, clock, says, said };
}

testThoroughly(
  'pcscd',
  smartcard,
  vpcdDriverPath,
  ...asRoot,
)(
  'a card that does not answer for 5 s counts as unreadable, and the reader is opened again',
  {
    timeout,
  },
  async () => {
    const vpcd = await startVpcd();
    const { reader, clock, says } = attach('pcsc:auto');
    await says(/^status PC\/SC reader on Virtual PCD$/);
    reader.arm(sale);
    vpcd.put('silent');
    await vpcd.asked();
    await clock.advance(5_000);
    const why = 'the card in Virtual PCD 00 00 did not answer within 5 s';
    await says(new RegExp(`^reader.lost ${why}$`));
    expect(reader.status).toMatchObject({ state: 'waiting', line: why, entries: [] });
    vpcd.speak();
    await clock.advance(500);
    await says(/^reader.back/);
    expect(await says(/^card.read/)).toContain('476173 **** 0010');
  },
);

test('a service that hangs is reported, and the reader returns with the service', { timeout }, async () => {
  const { pcscd } = await startVpcd();
  const { reader, clock, says } = attach('pcsc:auto');
  await says(/^reader.back/);
  pcscd.signal('SIGSTOP');
  await clock.advance(10_000);
  await says(/^reader.lost the PC\/SC service does not answer/);
  await clock.advance(11_000);
  expect(reader.status.line).toBe('the PC/SC service does not answer: run systemctl restart pcscd');
  pcscd.signal('SIGCONT');
  await clock.advance(5_000);
  await says(/^reader.back/);
});

test('a service that ends is reported', { timeout }, async () => {
  const { pcscd } = await startVpcd();
  const { reader, clock, says } = attach('pcsc:auto');
  await says(/^reader.back/);
  pcscd.signal('SIGTERM');
  await says(/^reader.lost/);
  await pcscd.exited;
  await clock.advance(500);
  await says(/^status the PC\/SC service does not run/);
  expect(reader.status.state).toBe('waiting');
});

test('a card that stays on the antenna after a failed read is read again, and reported once', {
  timeout,
}, async () => {
  const vpcd = await startVpcd();
  const { reader, says, said } = attach('pcsc:auto', {}, systemClock as VirtualClock);
  await says(/^reader.back/);
  reader.arm(sale);
  vpcd.put('weak');
  expect(await says(/^card.error/)).toMatch(/^card.error Contactless BAD_READ/);
  expect(await says(/^card.read/)).toContain('476173 **** 0010');
  vpcd.put('none');
  await says(/^card.removed/);
  expect(said).toEqual([]);
});

test('a device with two slots is one reader, for chips and taps', { timeout }, async () => {
  const vpcd = await startVpcd();
  const { reader, says } = attach('pcsc:virtual');
  await says(/^status PC\/SC reader on Virtual PCD$/);
  expect(reader.status.entries).toEqual(['ICC', 'Contactless']);
  reader.arm(sale);
  for (const [card, slot, entry] of [
    ['chip', 0, 'ICC'],
    ['tap', 1, 'Contactless'],
  ] as const) {
    vpcd.put(card, slot);
    expect(await says(/^card.read/)).toContain(`card.read ${entry} 476173`);
    vpcd.put('none', slot);
    await says(/^card.removed/);
  }
});

test('a chip left in one slot does not prevent taps at the other', { timeout }, async () => {
  const vpcd = await startVpcd();
  const { reader, says } = attach('pcsc:virtual');
  await says(/^reader.back/);
  vpcd.put('chip', 0);
  reader.arm({ ...sale, entries: ['Contactless'] });
  vpcd.put('tap', 1);
  expect(await says(/^card.read/)).toContain('card.read Contactless 476173');
});

testThoroughly(
  'pcscd',
  smartcard,
  vpcdDriverPath,
  ...asRoot,
)('one PC/SC reader serves one terminal, even under different names', { timeout }, async () => {
  const vpcd = await startVpcd();
  const pcscOwners = new Map();
  const first = attach('pcsc:auto', { terminal: 'V400m-1', pcscOwners });
  await first.says(/^reader.back/);
  const second = attach('pcsc:virtual pcd 00 01', { terminal: 'V400m-2', pcscOwners });
  await second.says(/^status Virtual PCD 00 01 already serves V400m-1: one reader serves one terminal$/);
  // While the service is away, the reader still belongs to the first terminal. So the second terminal does not get the
  // reader.
  vpcd.pcscd.signal('SIGSTOP');
  await first.clock.advance(10_000);
  await first.says(/^reader.lost/);
  vpcd.pcscd.signal('SIGCONT');
  await second.clock.advance(6_000);
  await first.clock.advance(500);
  await first.says(/^reader.back/);
  expect(second.said).toEqual([]);
  await first.reader.close();
  await second.clock.advance(1_000);
  await second.says(/^reader.back/);
});

testThoroughly(
  'pcscd',
  smartcard,
  vpcdDriverPath,
  ...asRoot,
)(
  'a card that another program holds is reported, and is read once that program releases it',
  {
    timeout,
  },
  async () => {
    const vpcd = await startVpcd();
    const { reader, says } = attach('pcsc:auto', {}, systemClock as VirtualClock);
    await says(/^reader.back/);
    vpcd.put('tap');
    const release = await holdCard();
    reader.arm(sale);
    const why =
      'another program holds the card in Virtual PCD 00 00: end that program (if it is GnuPG, run gpgconf --kill scdaemon)';
    expect(await says(/^card.error/)).toBe(`card.error Contactless BAD_READ ${why}`);
    await expect.poll(() => reader.status).toMatchObject({ state: 'ready', line: why });
    release();
    expect(await says(/^card.read/)).toContain('476173 **** 0010');
    expect(reader.status.line).toBe('PC/SC reader on Virtual PCD');
  },
);

/** Connects to the card in the first slot with exclusive access, as GnuPG does. Returns a function that disconnects. */
async function holdCard(): Promise<() => void> {
  const { Context, SCARD_SHARE_EXCLUSIVE, SCARD_PROTOCOL_T1, SCARD_UNPOWER_CARD } = createRequire(
    import.meta.url,
  )('smartcard') as SmartcardModule & { SCARD_SHARE_EXCLUSIVE: number };
  const context = new Context();
  onTestFinished(() => context.close());
  let held: ConnectedCard | undefined;
  const hold = async () => {
    held ??= await context
      .listReaders()[0]
      ?.connect(SCARD_SHARE_EXCLUSIVE, SCARD_PROTOCOL_T1)
      .catch(() => undefined);
    return held !== undefined;
  };
  await expect.poll(hold).toBe(true); // repeats until the service has seen the card
  return () => held?.disconnect(SCARD_UNPOWER_CARD);
}
