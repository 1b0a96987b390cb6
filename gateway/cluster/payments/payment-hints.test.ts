import { expect, test } from 'vitest';
import { makeGatewayFailureOutcome, outcomeJson } from '../../payments/core/outcome.ts';
import type { HintBus, HintHandler } from '../hints/hints.ts';
import { noHints } from '../hints/hints.ts';
import { PaymentHintBus } from './payment-hints.ts';

const terminalId = '019b0000-0000-7000-8000-000000000002';
const payment = '019b0000-0000-7000-8000-00000000000a';
const older = '019b0000-0000-7000-8000-0000000000f1';
const newer = '019b0000-0000-7000-8000-0000000000f2';
const here = '019b0000-0000-7000-8000-0000000000f3';
const outcome = makeGatewayFailureOutcome(
  { id: payment, serviceId: 'S1' },
  { reason: 'Cancel', message: 'cancelled', at: 0 },
);

/**
 * Sets up the messages between gateways (payment hints) for the gateway that runs the payment. The test acts as the
 * other gateways.
 */
function setup() {
  const handlers = new Map<string, HintHandler>();
  const sent: [subject: string, data: unknown][] = [];
  const said: unknown[][] = [];
  const hints: HintBus = {
    ...noHints,
    publish: (subject, data) => void sent.push([subject, data]),
    subscribe(subject, handler) {
      handlers.set(subject, handler);
      return () => void handlers.delete(subject);
    },
  };
  const paymentHints = new PaymentHintBus({ hints, gateways: { id: here } });
  paymentHints.hear({
    changed: (id) => void said.push(['changed', id]),
    concluded: (id, how) => void said.push(['concluded', id, how]),
  });
  paymentHints.owns(terminalId, async () => {});
  sent.length = 0;
  return {
    paymentHints,
    sent,
    said,
    hear: (subject: string, data: unknown) => handlers.get(subject)?.(data),
  };
}

test('a gateway that accepts outcomes is sent the outcome, and an older gateway is told to read it', () => {
  const { paymentHints, sent, hear } = setup();
  hear(`terminal.${terminalId}`, { payment, tell: older });
  hear(`terminal.${terminalId}`, { payment, tell: newer, outcomes: true });
  paymentHints.tell(payment, true, outcome);
  expect(sent).toEqual([
    [`payments.${older}`, payment],
    [`outcomes.${newer}`, payment + outcomeJson(outcome)],
  ]);
});

test('an answer that came from an older gateway is sent to no other gateway: they read the row', () => {
  const { paymentHints, sent, hear } = setup();
  hear(`terminal.${terminalId}`, { payment, tell: newer, outcomes: true });
  paymentHints.tell(payment, true, { nativeAnswer: '{}' });
  expect(sent).toEqual([[`payments.${newer}`, payment]]);
});

test('a hint tells the owner of a terminal that the sender accepts outcomes', () => {
  const { paymentHints, sent } = setup();
  paymentHints.ask(terminalId, payment);
  expect(sent).toEqual([[`terminal.${terminalId}`, { payment, tell: here, abort: false, outcomes: true }]]);
});

test('an older owner sends the answer of the native API as text, and the new subject carries an outcome', () => {
  const { said, hear } = setup();
  hear(`payments.${here}`, `${payment}{"identifier":"x"}`);
  hear(`payments.${here}`, payment);
  hear(`outcomes.${here}`, payment + outcomeJson(outcome));
  expect(said).toEqual([
    ['concluded', payment, { nativeAnswer: '{"identifier":"x"}' }],
    ['changed', payment],
    ['concluded', payment, outcome],
  ]);
});

test('an outcome that belongs to another payment than it claims ends no wait', () => {
  const { said, hear } = setup();
  expect(() => hear(`outcomes.${here}`, newer + outcomeJson(outcome))).toThrow('belongs to another payment');
  expect(said).toEqual([]);
});
