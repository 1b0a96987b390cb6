import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { findProgram, testWith } from '../../../test/optional-programs.ts';
import { toHex } from '../hex.ts';
import { createEmvCard, type EmvCard } from './emv-card.ts';
import { createPn532Emulator } from './pn532-emulator.ts';
import { openPtyLine } from './pty-line.ts';

// Third-party proof: libnfc and its tools take the emulator for a PN532 on a serial port.
const test = testWith('socat', 'nfc-list', 'nfc-poll', 'pn53x-diagnose', 'pn53x-tamashell');

function visa(): EmvCard {
  return createEmvCard({
    id: 'visa',
    pse: true,
    ppse: true,
    protocol: 'T=0',
    uid: '08DEAD01',
    applications: [
      {
        aid: 'A0000000031010',
        label: 'VISA CREDIT',
        priority: 1,
        gpo: 'format1',
        pan: '4761739001010010',
        expiry: '271231',
        serviceCode: '201',
        country: '840',
      },
    ],
  });
}

async function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-libnfc-'));
  const line = await openPtyLine(join(folder, 'pn532'));
  const chip = createPn532Emulator(line.transport, systemClock);
  onTestFinished(async () => {
    await line.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Runs a tool to its end: what it said on standard output, spaces evened out. */
  const run = (tool: string, input = '', heard: (text: string) => void = () => {}) => {
    const program = spawn(findProgram(tool) ?? tool, [], {
      env: { ...process.env, LIBNFC_DEVICE: `pn532_uart:${line.path}`, LIBNFC_LOG_LEVEL: '0' },
    });
    let text = '';
    program.stdout.on('data', (chunk) => {
      text += chunk;
      heard(text);
    });
    program.stdin.end(input);
    return new Promise<string>((resolve, reject) => {
      program.once('close', (code) =>
        code === 0 ? resolve(text.replaceAll(/\s+/g, ' ')) : reject(new Error(`${tool}: ${code}\n${text}`)),
      );
    });
  };
  return { chip, run, transport: line.transport };
}

test('nfc-list finds the card in the field, and none where there is none', async () => {
  const { chip, run } = await setup();
  expect(await run('nfc-list')).not.toContain('target(s) found');
  chip.present(visa());
  const found = await run('nfc-list');
  expect(found).toContain('1 ISO14443A passive target(s) found');
  expect(found).toContain('UID (NFCID3): 08 de ad 01');
  expect(found).toContain('SAK (SEL_RES): 20');
  expect(found).toContain('ATS: 78 80 70 02');
});

test('nfc-poll waits for the card to come, and to go', async () => {
  const { chip, run, transport } = await setup();
  // The tool polls by InAutoPoll (D4 60); the card comes while it waits.
  transport.onData((bytes) => {
    if (toHex(bytes).includes('D460')) chip.present(visa());
  });
  const said = await run('nfc-poll', '', (text) => {
    if (text.includes('Waiting for card removing')) chip.remove();
  });
  expect(said).toContain('UID (NFCID3): 08 de ad 01');
  expect(said).toContain('Waiting for card removing...done.');
});

test('pn53x-diagnose finds the chip well', async () => {
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
