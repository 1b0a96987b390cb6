import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { startPcscd } from '../pcscd.fixture.ts';
import { type VpcdCard, vpcdPort } from './vpcd-card.fixture.ts';

export const vpcdDriver = '/usr/lib/pcsc/drivers/serial/libifdvpcd.so';
export const vpcdName = 'Virtual PCD 00 00';

/**
 * vsmartcard's virtual reader at the PC/SC daemon. Gives what puts cards in and takes them out. `before` is called while
 * no daemon runs.
 */
export async function startVpcd(before?: () => void): Promise<(card: VpcdCard) => void> {
  const place = `0x${vpcdPort.toString(16).toUpperCase()}`;
  await startPcscd(
    `FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:${place}\nLIBPATH ${vpcdDriver}\nCHANNELID ${place}\n`,
    before,
  );
  const worker = new Worker(new URL('./vpcd-card.fixture.ts', import.meta.url));
  onTestFinished(async () => {
    await worker.terminate();
  });
  return (card) => worker.postMessage(card);
}
