import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { displayRequestSchema } from '../../shared/nexo/bodies.ts';
import type { PaymentReferences } from '../payment/payment-order.ts';
import type { PoiLink } from './poi-link.ts';
import { ProgressReporter } from './progress-reporter.ts';

/** Makes a progress reporter. Its link sends nothing, and only records the messages. */
function setup() {
  const sent: number[] = [];
  const link = {
    up: true,
    atTurnEnd: (run: () => void) => void setImmediate(run),
    sendEncoded: (_kind: string, _serviceId: string, body: string) =>
      sent.push(displayRequestSchema.parse(JSON.parse(body)).DisplayOutput.length),
  };
  const progress = new ProgressReporter(createRuntime({ clock: 'virtual' }), link as unknown as PoiLink);
  const sale = { serviceId: 'A1', tenderReference: 't' } as PaymentReferences;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { progress, sale, sent, turn };
}

test('the progress of one turn is sent at its end in one message', async () => {
  const { progress, sale, sent, turn } = setup();
  progress.notify(sale, 'CARD_PRESENTED');
  progress.notify(sale, 'APPLICATION_SELECTED');
  expect(sent).toEqual([]);
  await turn();
  progress.notify(sale, 'TENDER_FINAL');
  await turn();
  expect(sent).toEqual([2, 1]);
});

test.each(['is written', 'fails'])(
  'progress before a message waits until that %s, and is sent before it',
  async (how) => {
    const { progress, sale, sent, turn } = setup();
    const written = Promise.withResolvers<void>();
    progress.notify(sale, 'CARD_PRESENTED');
    const then = progress.holdDuring(written.promise).then(
      () => [...sent],
      () => [...sent],
    );
    await turn();
    progress.notify(sale, 'APPLICATION_SELECTED');
    await turn();
    expect(sent).toEqual([]);
    if (how === 'fails') written.reject(new Error('full'));
    else written.resolve();
    expect(await then).toEqual([2]);
    progress.notify(sale, 'TENDER_FINAL');
    await turn();
    expect(sent).toEqual([2, 1]);
  },
);
