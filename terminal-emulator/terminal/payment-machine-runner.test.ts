import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { CardCatalogue } from '../cards/catalogue.ts';
import { defaultCards } from '../cards/default-cards.ts';
import { toPresentedCard } from '../cards/presented-card.ts';
import { instantPacing } from '../payment/pacing.ts';
import type { PaymentEffects } from '../payment/payment-context.ts';
import { sampleOrder } from '../payment/payment-harness.fixture.ts';
import { PaymentMachineRunner } from './payment-machine-runner.ts';

/** Makes a runner of the payment machine. An effect of the machine fails if its name is in `faulty`. */
function dialogueHarness() {
  const runtime = createRuntime({ clock: 'virtual' });
  const faulty = new Set<keyof PaymentEffects>();
  const failIf = (effect: keyof PaymentEffects) => () => {
    if (faulty.has(effect)) throw new Error(`${effect} failed`);
  };
  const effects: PaymentEffects = {
    authorize: failIf('authorize'),
    conclude: failIf('conclude'),
    notify: failIf('notify'),
    identify: () => undefined,
    block: failIf('block'),
    print: failIf('print'),
  };
  const failures: { why: unknown; slot: string | undefined }[] = [];
  const dialogue: PaymentMachineRunner = new PaymentMachineRunner(
    { poiId: 'V400m-100000001', runtime, pacing: instantPacing, effects },
    { changed: () => {}, broke: (why) => failures.push({ why, slot: dialogue.slot?.card.id }) },
  );
  onTestFinished(() => dialogue.close());
  const cards = new CardCatalogue(defaultCards);
  const insert = () => {
    const presented = toPresentedCard(cards.get('offline-pin')!, cards, runtime.clock.now());
    dialogue.send({ type: 'inserted', presented });
  };
  const start = () => dialogue.send({ type: 'start', order: sampleOrder });
  return { dialogue, faulty, failures, insert, start, runtime, clock: runtime.clock as VirtualClock };
}

test('a card is in the slot before the terminal restarts, if the state machine fails over it', () => {
  const { dialogue, faulty, failures, insert, start } = dialogueHarness();
  start();
  faulty.add('notify');
  insert();
  expect(failures).toEqual([{ why: new Error('notify failed'), slot: 'offline-pin' }]);
  expect(dialogue.payment).toBeUndefined();
});

test('a card is out of the slot and the next payment begins, if the state machine fails over its removal', () => {
  const { dialogue, faulty, failures, insert, start } = dialogueHarness();
  start();
  insert();
  faulty.add('conclude');
  dialogue.send({ type: 'removed' });
  expect(failures).toEqual([{ why: new Error('conclude failed'), slot: undefined }]);
  faulty.clear();
  start();
  expect(dialogue.payment?.state).toBe('presentCard');
});

test('a card stays in the slot if the state machine fails over a timer', async () => {
  const { dialogue, faulty, failures, insert, start, runtime, clock } = dialogueHarness();
  start();
  insert();
  faulty.add('conclude');
  await clock.advance(runtime.timeouts.promptMs);
  expect(failures).toEqual([{ why: new Error('conclude failed'), slot: 'offline-pin' }]);
  expect(dialogue.slot?.card.id).toBe('offline-pin');
});
