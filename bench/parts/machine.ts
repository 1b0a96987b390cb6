import { createRuntime } from '../../shared/create-runtime.ts';
import { CardCatalogue } from '../../terminal-emulator/cards/catalogue.ts';
import { defaultCards } from '../../terminal-emulator/cards/default-cards.ts';
import { toPresentedCard } from '../../terminal-emulator/cards/presented-card.ts';
import { instantPacing } from '../../terminal-emulator/payment/pacing.ts';
import { makePaymentMachine } from '../../terminal-emulator/payment/payment.machine.ts';
import type { PaymentEffects } from '../../terminal-emulator/payment/payment-context.ts';
import { approvalAnswer, sampleOrder } from '../../terminal-emulator/payment/payment-harness.fixture.ts';
import { startMachine } from '../../terminal-emulator/terminal/start-machine.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';

/**
 * Runs the payment's state machine in a loop, without a terminal's connection, memory and screens, to measure the cost
 * of the actor that runs the machine.
 */
export const stateMachinePart: BenchmarkPart = {
  name: 'machine',
  summary:
    "the time of a tapped payment in the terminal's state machine alone, which is the cost of the XState actor",
  async run({ quick }) {
    const pay = loop();
    pay(5000);
    const rounds = Array.from({ length: quick ? 3 : 15 }, () => {
      const before = process.threadCpuUsage();
      const payments = quick ? 2000 : 10_000;
      pay(payments);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / payments;
    });
    return [
      {
        name: "the time of a payment in the terminal's state machine alone",
        value: median(rounds),
        unit: 'µs CPU',
      },
    ];
  },
};

function loop(): (payments: number) => void {
  const runtime = createRuntime();
  const cards = new CardCatalogue(defaultCards);
  const card = cards.get('visa-credit');
  if (!card) throw new Error('there is no card to tap');
  let concluded = 0;
  const effects: PaymentEffects = {
    authorize: () => {},
    conclude: () => concluded++,
    notify: () => {},
    identify: () => {},
    block: () => {},
    print: () => {},
  };
  const input = { effects, pacing: instantPacing, timeouts: runtime.timeouts };
  const actor = startMachine(makePaymentMachine(instantPacing), input, runtime, 'bench', {
    changed: () => {},
    broke: (error) => {
      throw error;
    },
  });
  return (payments) => {
    concluded = 0;
    for (let nth = 0; nth < payments; nth++) {
      actor.send({ type: 'start', order: sampleOrder });
      actor.send({ type: 'tapped', presented: toPresentedCard(card, cards, runtime.clock.now()) });
      actor.send({ type: 'host.answered', answer: approvalAnswer });
    }
    if (concluded !== payments) throw new Error(`${concluded} of ${payments} payments were concluded`);
  };
}
