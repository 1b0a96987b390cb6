import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../shared/clock.ts';
import { CcidEmulator } from './emulators/ccid-emulator.ts';
import type { EmvCardDefinition } from './emulators/emv-card-definition.ts';
import { createMsrEmulator } from './emulators/msr-emulator.ts';
import { Pn532Emulator } from './emulators/pn532-emulator.ts';
import { openPtyLine, type PtyLine } from './emulators/pty-line.ts';
import { concatBytes, fromHex } from './hex.ts';
import type { ByteTransport } from './reader-driver.ts';
import { type ReaderDriverName, readerOptionText } from './reader-drivers.ts';
import { visaCard } from './visa-card.fixture.ts';
import { encodeVivoResponse } from './vivotech2/vivo-response.fixture.ts';

/** Makes a folder that is deleted after the test. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-readers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a serial port at `path`. It is unplugged after the test, or earlier by `close`. */
export async function makePtyAt(path: string): Promise<PtyLine> {
  const line = await openPtyLine(path);
  onTestFinished(() => line.close());
  return line;
}

/** An emulated reader that tests connect to the far end of a line. */
export interface HarnessReader {
  /** Gives the text with which `--reader` names this reader at an address. */
  readonly spec: (address: string) => string;
  /** Matches the reader's description of itself; undefined for a reader that answers no questions. */
  readonly answers: RegExp | undefined;
  /**
   * Plugs the reader in, with the visa card in its field or slot. For a reader through which a person has to swipe the
   * card, the test calls `draw` to swipe it.
   */
  readonly plugIn: (line: ByteTransport, clock: Clock) => { draw?: () => void };
}

const ccid = (
  protocol: EmvCardDefinition['protocol'],
  options: { framing?: 'gempc' | 'acs' } = {},
): HarnessReader => ({
  spec: (address) => readerOptionText({ driver: 'ccid', ...options }, address),
  answers: /^CCID reader /,
  plugIn(line, clock) {
    new CcidEmulator(line, clock, options).insert(visaCard({}, protocol));
    return {};
  },
});

/**
 * One reader for each driver, under the driver's name. The other readers are variants that work with the same drivers.
 */
export const harnessReaders = {
  pn532: {
    spec: (address) => `pn532:${address}`,
    answers: /^PN532 firmware 1\.6$/,
    plugIn(line, clock) {
      new Pn532Emulator(line, clock).present(visaCard());
      return {};
    },
  },
  ccid: ccid('T=0'),
  'ccid T=1': ccid('T=1'),
  'ccid acs': ccid('T=0', { framing: 'acs' }),
  msr: {
    spec: (address) => `msr:${address}`,
    answers: undefined,
    plugIn(line) {
      const reader = createMsrEmulator(line, { framing: 'magtek', lrc: true });
      const track2 = ';4761739001010010=27122011845888890000?';
      return { draw: () => void reader.swipe({ track2 }).catch(() => {}) };
    },
  },
  vivotech2: {
    spec: (address) => `vivotech2:${address}`,
    answers: /^ViVOtech2 reader/,
    plugIn(line) {
      playVivotech2(line);
      return {};
    },
  },
} satisfies Record<ReaderDriverName, HarnessReader> & Record<string, HarnessReader>;

const vivoHeader = 14;
const vivoObjects = fromHex(
  '000000 57134761739001010010D27122011845888890000F 5F2403271231 500B56495341204352454449 54',
);

/** Answers pings and activations as the manuals describe. The answer to an activation contains the data of a card. */
function playVivotech2(line: ByteTransport): void {
  let received: Uint8Array = new Uint8Array();
  line.onData((bytes) => {
    const all = Buffer.from(concatBytes(received, bytes));
    received = all.subarray(Math.max(0, all.lastIndexOf('ViVOtech2')));
    const length = vivoHeader + (received[vivoHeader - 2] ?? 0) * 256 + (received[vivoHeader - 1] ?? 0) + 2;
    if (received.length < vivoHeader || received.length < length) return;
    const [command = 0] = received.subarray(10);
    received = received.subarray(length);
    const activation = command === 0x02;
    const reply = encodeVivoResponse({
      command,
      status: activation ? 0x23 : 0x00,
      data: activation ? vivoObjects : new Uint8Array(),
    });
    line.write(reply).catch(() => {});
  });
}
