import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { findProgram } from '../../../test/find-program.ts';
import { testWith } from '../../../test/optional-programs.ts';
import { concatBytes, toHex } from '../hex.ts';
import { encodeFrame, Pn532FrameParser } from '../pn532/frame.ts';
import { makePtyAt, makeTemporaryFolder } from '../reader-harness.fixture.ts';
import { visaCard, visaDefinition } from '../visa-card.fixture.ts';
import { createEmvCard } from './emv-card.ts';
import { Pn532Emulator } from './pn532-emulator.ts';

// Tests with third-party software: libnfc and its tools have to accept the emulator as a PN532 on a serial port.
const test = testWith('socat', 'nfc-anticol', 'nfc-list', 'nfc-poll', 'pn53x-diagnose', 'pn53x-tamashell');

const visa = () => visaCard({ gpo: 'format1' });

async function setup() {
  const line = await makePtyAt(join(makeTemporaryFolder(), 'pn532'));
  const received: Uint8Array[] = [];
  line.transport.onData((bytes) => received.push(bytes));
  const chip = new Pn532Emulator(line.transport, systemClock);
  /** Runs a tool to its end. Gives its standard output, with each run of spaces replaced by one space. */
  const run = (tool: string, input = '', received: (text: string) => void = () => {}) => {
    const program = spawn(findProgram(tool) ?? tool, [], {
      env: { ...process.env, LIBNFC_DEVICE: `pn532_uart:${line.path}`, LIBNFC_LOG_LEVEL: '0' },
    });
    let text = '';
    program.stdout.on('data', (chunk) => {
      text += chunk;
      received(text);
    });
    program.stdin.end(input);
    return new Promise<string>((resolve, reject) => {
      program.once('close', (code) =>
        code === 0 ? resolve(text.replaceAll(/\s+/g, ' ')) : reject(new Error(`${tool}: ${code}\n${text}`)),
      );
    });
  };
  return { chip, run, transport: line.transport, received };
}

test('nfc-list finds the card in the field, and finds none in an empty field', async () => {
  const { chip, run } = await setup();
  expect(await run('nfc-list')).not.toContain('target(s) found');
  chip.present(visa());
  const found = await run('nfc-list');
  expect(found).toContain('1 ISO14443A passive target(s) found');
  expect(found).toContain('UID (NFCID3): 08 de ad 01');
  expect(found).toContain('SAK (SEL_RES): 20');
  expect(found).toContain('ATS: 78 80 70 02');
});

test.each([
  ['08DEAD01', '08dead01', '0004', '4-byte'],
  ['04112233445566', '04112233445566', '0044', '7-byte'],
  ['04112233445566778899', '04112233445566778899', '0044', '10-byte'],
])('nfc-anticol selects a card of UID %s by its own frames', async (uid, shown, atqa) => {
  const { chip, run } = await setup();
  chip.present(createEmvCard({ ...visaDefinition, uid }));
  const said = await run('nfc-anticol');
  expect(said).toContain(`UID: ${shown}`);
  expect(said).toContain(`ATQA: ${atqa}`);
  expect(said).toContain('SAK: 20');
  expect(said).toContain('ATS: 05 78 80 70 02');
});

test('nfc-list finds two cards that are held there together', async () => {
  const { chip, run } = await setup();
  chip.present(visa(), createEmvCard({ ...visaDefinition, uid: 'DEAD0002' }));
  const said = await run('nfc-list');
  expect(said).toContain('2 ISO14443A passive target(s) found');
  expect(said).toContain('UID (NFCID3): 08 de ad 01');
  expect(said).toContain('UID (NFCID1): de ad 00 02');
});

test('nfc-poll waits for the card to come, and to go', async () => {
  const { chip, run, transport } = await setup();
  // The tool polls with InAutoPoll (D4 60). The card arrives while the tool waits.
  transport.onData((bytes) => {
    if (toHex(bytes).includes('D460')) chip.present(visa());
  });
  const said = await run('nfc-poll', '', (text) => {
    if (text.includes('Waiting for card removing')) chip.remove();
  });
  expect(said).toContain('UID (NFCID3): 08 de ad 01');
  expect(said).toContain('Waiting for card removing...done.');
});

test('pn53x-diagnose reports the chip as healthy', async () => {
  const { run } = await setup();
  const said = await run('pn53x-diagnose');
  for (const part of ['Communication line', 'ROM', 'RAM']) expect(said).toContain(`${part} test: OK`);
});

test('pn53x-tamashell walks from the directory to the record with the number', async () => {
  const { chip, run } = await setup();
  chip.present(visa());
  const said = await run(
    'pn53x-tamashell',
    [
      '4A 01 00',
      '40 01 00 A4 04 00 0E 32 50 41 59 2E 53 59 53 2E 44 44 46 30 31 00',
      '40 01 00 A4 04 00 07 A0 00 00 00 03 10 10 00',
      '40 01 80 A8 00 00 02 83 00 00',
      '40 01 00 B2 01 0C 00',
      '52 00',
      'q',
      '',
    ].join('\n'),
  );
  const received = [...said.matchAll(/Rx: ([0-9a-f ]+)/g)].map(([, bytes]) => bytes?.trim());
  expect(received[0]).toBe('01 01 00 04 20 04 08 de ad 01 05 78 80 70 02');
  expect(received[1]).toContain('32 50 41 59 2e 53 59 53 2e 44 44 46 30 31 a5');
  expect(received[1]).toContain('4f 07 a0 00 00 00 03 10 10');
  expect(received[2]).toContain('50 0b 56 49 53 41 20 43 52 45 44 49 54');
  expect(received[3]).toMatch(/^00 80 .* 90 00$/);
  expect(received[4]).toContain('57 13 47 61 73 90 01 01 00 10 d2 71 22 01');
  expect(received[5]).toBe('00');
});

test('libnfc and our codec write the same frames, including extended ones, and read each other’s', async () => {
  const { chip, run, received } = await setup();
  chip.present(visa());
  await run('nfc-list');
  // Diagnose 00 sends everything back. With 255 bytes, both the command and the response are too long for a normal
  // frame.
  const bytes = Array.from({ length: 253 }, (_, at) => (at & 0xff).toString(16).padStart(2, '0'));
  const said = await run('pn53x-tamashell', `0000${bytes.join('')}\nq\n`);
  expect(said).toContain(`Rx: 00 ${bytes.join(' ')} `);
  let rest = toHex(concatBytes(...received));
  const frames = new Pn532FrameParser().feed(concatBytes(...received));
  for (const frame of frames) {
    if (frame.type !== 'data') throw new Error(`libnfc sent ${frame.type}`);
    rest = rest.replace(toHex(encodeFrame(frame.tfi, frame.data)), '');
  }
  // Apart from frames, the tool sent only wake-ups.
  expect(rest).toMatch(/^(5555(00)+)+$/);
  expect(frames.length).toBeGreaterThan(20);
});
