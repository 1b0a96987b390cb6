import { openStack } from '../stack/stack-harness.ts';
import { type PaymentWay, payBy } from './pays.ts';

/** Makes one payment in a process that is killed at one of the payment's steps. crash-like-kill.test.ts starts it. */
const [folder = '', way = ''] = process.argv.slice(2);
const harness = await openStack({ memory: false, data: folder });
process.on('message', (message: { pay?: true }) => {
  if (message.pay) void payBy(harness, JSON.parse(way) as PaymentWay).then(() => process.exit(0));
});
process.stdout.write('{}\n');
