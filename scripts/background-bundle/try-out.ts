import { join } from 'node:path';
import { takeOnePayment } from '../one-payment.ts';

/**
 * Takes a payment with the bundle in `folder`. Throws if that fails, which would be a mistake of the bundling. Node
 * keeps the code that it compiles meanwhile, so the next start is as fast as later ones.
 */
export async function tryBundle(folder: string): Promise<void> {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('PINPAD_'));
  const program = join(import.meta.dirname, 'run-bundle.ts');
  await takeOnePayment([process.execPath, program, folder], join(folder, 'tried-out'), {
    ...Object.fromEntries(ours),
    PINPAD_LOG_LEVEL: 'silent',
  });
}
