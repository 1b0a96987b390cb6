import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { testWith } from '../../../test/optional-programs.ts';
import { decodeCcid, encodeCcid } from '../ccid/ccid-message.ts';
import { gemPcFraming } from '../ccid/gempc-framing.ts';
import { concatBytes, toHex } from '../hex.ts';
import { runProgram, startPcscd, watchOutput } from '../pcscd.fixture.ts';
import { makePtyAt, makeTemporaryFolder } from '../reader-harness.fixture.ts';
import { visaCard } from '../visa-card.fixture.ts';
import { CcidEmulator } from './ccid-emulator.ts';

// Tests with third-party software: Debian's PC/SC daemon with its driver for serial readers (libccidtwin) has to accept
// the emulator as a GemPC Twin. A machine has only one socket for such daemons, and only root can start a daemon at
// this socket. So these tests need root, and they run one after another.
const driver = '/usr/lib/pcsc/drivers/serial/libccidtwin.so';
const asRoot = process.getuid?.() === 0 ? [] : ['being root'];
const test = testWith('socat', 'pcscd', 'pcsc_scan', 'opensc-tool', 'scriptor', driver, ...asRoot);

/** The time limit of a test in ms. It is long, because the test may wait until other tests have used the daemon. */
const timeout = 120_000;

async function setup(options: { echo?: boolean } = {}) {
  const folder = makeTemporaryFolder();
  const line = await makePtyAt(join(folder, 'twin'));
  const received: Uint8Array[] = [];
  line.transport.onData((bytes) => received.push(bytes));
  const emulator = new CcidEmulator(line.transport, systemClock, options);
  // The driver libccidtwin expects an echo from all of its readers except the GemCore ones.
  const device = `${line.path}${options.echo === false ? ':GemCorePOSPro' : ''}`;
  await startPcscd(`FRIENDLYNAME "GemPCTwin serial"\nDEVICENAME ${device}\nLIBPATH ${driver}\n`);
  return { emulator, received };
}

/**
 * Waits until the daemon lists the emulator with a card in it. This is needed because the daemon answers before its
 * readers are ready.
 */
async function cardListed(): Promise<void> {
  while (!/0\s+Yes.*GemPCTwin serial/.test(await runProgram('opensc-tool', ['-l'])));
}

const commands = ['00 A4 04 00 07 A0 00 00 00 03 10 10', '80 A8 00 00 02 83 00', '00 B2 01 0C 00'];

test.each([
  { protocol: 'T=0', echo: true },
  { protocol: 'T=0', echo: false },
  { protocol: 'T=1', echo: true },
] as const)(
  'pcscd reads a $protocol card in the emulated GemPC Twin, echo $echo',
  { timeout },
  async ({ protocol, echo }) => {
    const { emulator, received } = await setup({ echo });
    emulator.insert(visaCard({}, protocol));
    const atr = protocol === 'T=0' ? '3b:65:00:00:20:63:cb:6a:00' : '3b:e5:00:00:81:31:fe:45:20:63:cb:6a:00';
    await cardListed();
    expect(await runProgram('opensc-tool', ['-a'])).toContain(atr);
    const answers = (await runProgram('scriptor', [], `${commands.join('\n')}\n`)).replaceAll(/\s+/g, ' ');
    if (protocol === 'T=0') {
      // With T=0 the application itself fetches each answer.
      expect(answers).toMatch(/< 61 .. : /);
      expect(answers).toMatch(/< 6C .. : /);
    } else {
      expect(answers).toContain('50 0B 56 49 53 41 20 43 52 45 44 49 54');
      expect(answers).toContain('57 13 47 61 73 90 01 01 00 10 D2 71 22 01');
    }
    // Everything that libccid wrote can be decoded, and our codec encodes it to the same bytes.
    const written = concatBytes(...received);
    const frames = gemPcFraming.createDecoder().feed(written);
    const again = frames.map((event) => {
      const message = event.kind === 'message' ? decodeCcid(event.bytes) : undefined;
      return message ? gemPcFraming.wrap(encodeCcid(message)) : new Uint8Array();
    });
    expect(toHex(concatBytes(...again))).toBe(toHex(written));
    expect(frames.length).toBeGreaterThan(10);
  },
);

test('pcsc_scan sees a card go in and out, and then the next card', { timeout }, async () => {
  const { emulator } = await setup({ echo: true });
  const program = spawn('pcsc_scan', ['-n']);
  onTestFinished(() => {
    program.kill();
  });
  const scan = watchOutput(program);
  await scan.says(/Card state: Card removed/);
  emulator.insert(visaCard());
  await scan.says(/Card inserted[\s\S]*ATR: 3B 65 00 00 20 63 CB 6A 00/);
  emulator.remove();
  await scan.says(/Card inserted[\s\S]*Card removed/);
  emulator.insert(visaCard({}, 'T=1'));
  await scan.says(/ATR: 3B E5 00 00 81 31 FE 45 20 63 CB 6A 00/);
});
