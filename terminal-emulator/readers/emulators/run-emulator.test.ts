import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import type { TestCardDefinition } from '../../../shared/emulator/cards.ts';
import { Journal } from '../../../shared/journal.ts';
import { makeSeededRandom } from '../../../shared/random.ts';
import { testWith } from '../../../test/optional-programs.ts';
import { AttachedReader } from '../attached-reader.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { makeTemporaryFolder } from '../reader-harness.fixture.ts';
import { parseReaderSpec } from '../reader-spec.ts';
import type { EmulatedReaderOptions } from './emulated-reader.ts';
import type { EmulatedReaderAddress } from './emulator-line.ts';
import { runReaderEmulator } from './run-emulator.ts';

const visa: TestCardDefinition = {
  id: 'visa',
  label: 'Visa',
  number: '4761739001010010',
  expiry: '1227',
  country: '840',
  funding: 'credit',
  applications: [{ aid: 'A0000000031010', label: 'VISA', brand: 'visa', debit: false }],
  chip: { verification: 'offlinePin', readable: 'yes' },
  contactless: { limit: 50, aboveLimit: 'insert' },
  stripe: { verification: 'signature', readable: true },
  keyed: true,
  note: '',
};
const plain: TestCardDefinition = {
  ...visa,
  id: 'plain',
  chip: undefined,
  contactless: undefined,
  stripe: undefined,
};

const tcp: EmulatedReaderAddress = { kind: 'tcp', host: '127.0.0.1', port: 0 };

async function run(
  reader: EmulatedReaderOptions,
  place: EmulatedReaderAddress = tcp,
  streams: { input?: PassThrough; output?: PassThrough } = {},
) {
  const emulator = await runReaderEmulator(
    { reader, place, cards: [visa, plain], ...streams },
    { clock: systemClock },
  );
  onTestFinished(() => emulator.close());
  return emulator;
}

/**
 * Attaches a reader over a real line in real time. The returned object can wait for an event or a status line of the
 * reader.
 */
function attach(spec: string) {
  const runtime = { clock: systemClock, random: makeSeededRandom(1), journal: new Journal(systemClock) };
  const reader = new AttachedReader(
    { spec: parseReaderSpec(spec), fingerprintKey: new Uint8Array(16) },
    runtime,
  );
  onTestFinished(() => reader.close());
  const events: ReaderEvent[] = [];
  reader.onEvent((event) => events.push(event));
  const received = (type: ReaderEvent['type']) =>
    new Promise<ReaderEvent>((resolve) => {
      const off = reader.onEvent((event) => {
        if (event.type !== type) return;
        off();
        resolve(event);
      });
    });
  return { reader, events, received };
}

function arm(reader: AttachedReader) {
  reader.arm({ entries: ['ICC', 'Contactless', 'MagStripe'], amount: 1_000, currency: 'EUR' });
}

const types = (events: ReaderEvent[]) => events.map(({ type }) => type);

test.each([
  { kind: 'pn532', command: 'tap visa 30000', entry: 'Contactless' },
  { kind: 'ccid', command: 'insert visa', entry: 'ICC' },
  { kind: 'msr', command: 'swipe visa', entry: 'MagStripe' },
] as const)(
  'at a TCP port, "$command" at a $kind is a card read at the terminal',
  async ({ kind, command, entry }) => {
    const emulator = await run({ kind });
    expect(emulator.readerSpec).toMatch(new RegExp(`^${kind}:tcp://127\\.0\\.0\\.1:\\d+$`));
    const { reader, events, received } = attach(emulator.readerSpec);
    await received('reader.back');
    arm(reader);
    const read = received('card.read');
    const removed = received('card.removed');
    expect(emulator.command(command)).toBe(
      command
        .split(' ')
        .slice(0, 2)
        .join(' ')
        .replace(/^(\w+)/, past),
    );
    expect(await read).toMatchObject({
      read: { entry, maskedPan: '476173 **** 0010', brand: 'visa', expiry: '1227' },
    });
    if (kind !== 'msr') emulator.command('remove');
    await removed;
    expect(types(events)).toEqual(['reader.back', 'card.present', 'card.read', 'card.removed']);
  },
);

function past(verb: string): string {
  return { tap: 'tapped', insert: 'inserted', swipe: 'swiped' }[verb] ?? verb;
}

test('the card stays in the slot when the terminal hangs up and reconnects', async () => {
  const emulator = await run({ kind: 'ccid', protocol: 'T=1' });
  emulator.command('insert visa');
  for (let time = 0; time < 2; time++) {
    const { reader, received } = attach(emulator.readerSpec);
    const read = received('card.read');
    arm(reader);
    await read;
    await reader.close();
  }
});

test('the last client of a TCP port has the reader, and the former client loses its line', async () => {
  const emulator = await run({ kind: 'ccid' });
  const first = attach(emulator.readerSpec);
  await first.received('reader.back');
  const lost = first.received('reader.lost');
  const second = connect(Number(emulator.readerSpec.split(':').at(-1)), '127.0.0.1');
  onTestFinished(() => {
    second.destroy();
  });
  await lost;
  expect(second.destroyed).toBe(false);
});

test('commands are read from one stream, answers go to another, and quit ends the emulator', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const emulator = await run({ kind: 'pn532' }, tcp, { input, output });
  input.write('cards\r\ninsert visa\ntap nobody\ntap plain\ntap visa 0\ndance\nremove\nhelp\nquit\n');
  expect(await emulator.ended).toBe('quit');
  expect(String(output.read()).split('\n')).toEqual([
    'visa plain',
    'error: this reader has no slot: use tap CARD',
    'error: there is no card "nobody": type "cards" to list all cards',
    'error: the card plain is not contactless',
    'error: a card must be held for 1 to 600000 milliseconds',
    'error: unknown command "dance": tap CARD [MS], insert CARD, remove, swipe CARD, cards, quit',
    'removed',
    'tap CARD [MS], insert CARD, remove, swipe CARD, cards, quit',
    'bye',
    '',
  ]);
});

test('each kind of reader reports commands that it cannot do', async () => {
  const [slot, slit] = [await run({ kind: 'ccid' }), await run({ kind: 'msr' })];
  expect(slot.command('tap visa')).toBe('error: this reader is not contactless: use insert CARD');
  expect(slot.command('insert plain')).toBe('error: the card plain has no chip');
  slot.command('insert visa');
  expect(slot.command('insert visa')).toBe('error: the card visa is in the slot: remove it first');
  expect(slit.command('insert visa')).toBe('error: this reader has no slot: use swipe CARD');
  expect(slit.command('swipe plain')).toBe('error: the card plain has no stripe');
});

testWith('socat')(
  'at a pseudo-terminal, a reader is unplugged during a transaction and plugged in again',
  async () => {
    const place = { kind: 'pty', path: join(makeTemporaryFolder(), 'reader') } as const;
    const first = await run({ kind: 'ccid' }, place);
    const { reader, events, received } = attach(first.readerSpec);
    await received('reader.back');
    arm(reader);
    const present = received('card.present');
    const lost = received('reader.lost');
    first.command('insert visa');
    await present;
    await first.close();
    await lost;
    expect(reader.status.line).toBe(`unplugged, waiting for ${place.path}`);
    const back = received('reader.back');
    const read = received('card.read');
    const second = await run({ kind: 'ccid' }, place);
    await back;
    second.command('insert visa');
    await read;
    expect(types(events).filter((type) => type.startsWith('reader'))).toEqual([
      'reader.back',
      'reader.lost',
      'reader.back',
    ]);
  },
);

testWith('socat')('over a pair of pseudo-terminals, killing socat is unplugging both ends', async () => {
  const folder = makeTemporaryFolder();
  const [near, far] = [join(folder, 'near'), join(folder, 'far')];
  const socat = spawn('socat', ['-d', '-d', `pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`]);
  onTestFinished(() => {
    socat.kill('SIGKILL');
  });
  await new Promise<void>((resolve) => {
    socat.stderr.on('data', (text) => String(text).includes('starting data transfer loop') && resolve());
  });
  const emulator = await run({ kind: 'pn532' }, { kind: 'serial', path: far });
  const { reader, received } = attach(`pn532:${near}`);
  await received('reader.back');
  arm(reader);
  const [present, lost] = [received('card.present'), received('reader.lost')];
  emulator.command('tap visa 60000');
  await present;
  socat.kill('SIGKILL');
  await lost;
  expect(await emulator.ended).toMatch(/./);
  expect(reader.status.line).toBe(`unplugged, waiting for ${near}`);
});
