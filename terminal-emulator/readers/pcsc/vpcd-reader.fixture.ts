import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { type Pcscd, startPcscd } from '../pcscd.fixture.ts';
import { type VpcdCard, type VpcdSlotAction, type VpcdWorkerMessage, vpcdPort } from './vpcd-card.fixture.ts';

export const vpcdDriverPath = '/usr/lib/pcsc/drivers/serial/libifdvpcd.so';
export const vpcdReaderName = 'Virtual PCD 00 00';

export interface Vpcd {
  /** Puts a card into a slot of the reader, or takes it out. */
  readonly put: (card: VpcdCard, slot?: number) => void;
  /** Resolves when a silent or slow card has received a command after the previous call of this function resolved. */
  readonly asked: () => Promise<unknown>;
  /** How often a silent or slow card has given its delayed answer. */
  readonly answers: () => number;
  /** Makes a silent card give its delayed answer. From then on, the card gives every answer at once. */
  readonly speak: () => void;
  readonly pcscd: Pcscd;
}

/**
 * Starts the PC/SC daemon with vsmartcard's virtual reader, which has two slots. `before` is called while no daemon
 * runs.
 */
export async function startVpcd(before?: () => unknown): Promise<Vpcd> {
  const place = `0x${vpcdPort.toString(16).toUpperCase()}`;
  const pcscd = await startPcscd(
    `FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:${place}\nLIBPATH ${vpcdDriverPath}\nCHANNELID ${place}\n`,
    before,
  );
  const worker = new Worker(new URL('./vpcd-card.fixture.ts', import.meta.url));
  onTestFinished(async () => {
    await worker.terminate();
  });
  let asked = Promise.withResolvers<void>();
  let answers = 0;
  worker.on('message', (said: VpcdWorkerMessage) => {
    if (said === 'asked') asked.resolve();
    else answers += 1;
  });
  const act = (what: VpcdSlotAction) => worker.postMessage(what);
  return {
    put: (put, slot = 0) => act({ slot, put }),
    async asked() {
      await asked.promise;
      asked = Promise.withResolvers();
    },
    answers: () => answers,
    speak: () => act({ slot: 0 }),
    pcscd,
  };
}
