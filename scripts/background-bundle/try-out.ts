import { join } from 'node:path';
import { takeOnePayment } from '../one-payment.ts';

/**
 * Takes a payment with the bundle in `folder`. Throws if the payment fails, because then the bundle is wrong. Node also
 * stores the code that it compiles for this payment, so that the first real start of the bundle is fast too.
 */
export async function tryBundle(folder: string): Promise<void> {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('PINPAD_'));
  const program = join(import.meta.dirname, 'run-bundle.ts');
  await takeOnePayment([process.execPath, program, folder], join(folder, 'tried-out'), {
    ...Object.fromEntries(ours),
    PINPAD_LOG_LEVEL: 'silent',
  });
}
