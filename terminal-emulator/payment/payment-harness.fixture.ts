import { createActor } from 'xstate';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { TerminalKey } from '../../shared/emulator/screen.ts';
import type { PaymentResponse, ReversalResponse } from '../../shared/nexo/bodies.ts';
import { entryModes } from '../../shared/nexo/enums.ts';
import { makeTimeouts } from '../../shared/timeouts.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { CardCatalogue } from '../cards/catalogue.ts';
import { defaultCards } from '../cards/default-cards.ts';
import { type MaskedCard, toPresentedCard } from '../cards/presented-card.ts';
import { makeCardForUnknownNumber } from '../cards/unknown-card.ts';
import { instantPacing, type Pacing } from './pacing.ts';
import { makePaymentMachine } from './payment.machine.ts';
import type { HostAnswer, PaymentContext, PaymentEffects } from './payment-context.ts';
import type { TerminalOrder } from './payment-order.ts';
import { makePaymentAnswer } from './payment-response.ts';
import { makeTerminalIdentity } from './terminal-identity.ts';

export const startMs = Date.UTC(2026, 0, 1, 9);

export const sampleOrder: TerminalOrder = {
  sale: {
    serviceId: 'S1',
    tenderReference: 'V401000000000001',
    transactionId: 't1',
    timeStamp: '2026-01-01T09:00:00.000Z',
    saleReference: 'order-1',
  },
  currency: 'EUR',
  requestedMinor: 1000,
  language: 'en',
  ways: entryModes,
  debitPreferred: false,
  pinAlwaysWrong: false,
  receiptHeader: [],
  merchantId: 'MERCHANT',
};

/** An order for a refund, which gives money to a card. */
export const refundChanges: Partial<TerminalOrder> = { sale: { ...sampleOrder.sale, givesBack: 'refund' } };

/** An order for a reversal, which gives back a payment's money without its card. */
export const reversalChanges: Partial<TerminalOrder> = {
  sale: {
    ...sampleOrder.sale,
    givesBack: 'reversal',
    original: { TransactionID: 'V401000000000007.PSP7', TimeStamp: '2026-01-01T08:00:00.000Z' },
  },
  ways: [],
  originalCard: { brand: 'visa', maskedNumber: '411111 **** 1111', entryMode: 'ICC' },
};

/** The changes that turn an order into a reversal of a payment with an Interac card. */
export const interacReversalChanges: Partial<TerminalOrder> = {
  ...reversalChanges,
  originalCard: { brand: 'interac_card', maskedNumber: '660000 **** 1111' },
};

export const approvalAnswer: HostAnswer = {
  Type: 'Authorize',
  PaymentReference: 't1',
  AttemptID: 'a1',
  Approved: true,
  PspReference: 'PSP1',
  AuthCode: '123456',
  AcquirerResponseCode: 'APPROVED',
};

export function makeRefusalAnswer(condition: HostAnswer['ErrorCondition'] = 'Refusal'): HostAnswer {
  return {
    Type: 'Authorize',
    PaymentReference: 't1',
    AttemptID: 'a1',
    Approved: false,
    PspReference: 'PSP1',
    ErrorCondition: condition,
    RefusalReason: '210 Not enough balance',
    Message: 'NOT_ENOUGH_BALANCE',
    AcquirerResponseCode: 'NOT_ENOUGH_BALANCE',
  };
}

/** Runs the payment machine with a shopper, a POS and a host around it, and records everything that the machine did. */
export function startPaymentHarness(pacing: Pacing = instantPacing) {
  const clock = new VirtualClock({ startMs });
  const cards = new CardCatalogue(defaultCards);
  const notified: string[] = [];
  const asked: PaymentContext[] = [];
  const concluded: PaymentContext[] = [];
  const printed: PaymentContext[] = [];
  const effects: PaymentEffects = {
    authorize: (payment) => asked.push(payment),
    conclude: (payment) => concluded.push(payment),
    notify: (event) => notified.push(event),
    identify: (number, expiry) => {
      const card = cards.byNumber(number) ?? makeCardForUnknownNumber(number, expiry);
      return card && present({ ...card, expiry });
    },
    block: ({ id }) => cards.block(id),
    print: (payment) => printed.push(payment),
  };
  const actor = createActor(makePaymentMachine(pacing), {
    clock: clock as never,
    input: { effects, pacing, timeouts: makeTimeouts() },
  });
  actor.start();

  function present(card: TestCardDefinition | MaskedCard) {
    return toPresentedCard(card, cards, clock.now());
  }
  function cardOf(id: string, changes: Partial<TestCardDefinition> = {}) {
    const card = cards.get(id);
    if (!card) throw new Error(`no card ${id}`);
    return present({ ...card, ...changes });
  }
  const harness = {
    actor,
    cards,
    clock,
    notified,
    asked,
    concluded,
    printed,
    get state() {
      return actor.getSnapshot().value as string;
    },
    get payment() {
      return actor.getSnapshot().context;
    },
    pay: (changes: Partial<TerminalOrder> = {}) =>
      actor.send({ type: 'start', order: { ...sampleOrder, ...changes } }),
    insert: (id: string, changes?: Partial<TestCardDefinition>) =>
      actor.send({ type: 'inserted', presented: cardOf(id, changes) }),
    tap: (id: string, changes?: Partial<TestCardDefinition>) =>
      actor.send({ type: 'tapped', presented: cardOf(id, changes) }),
    swipe: (id: string, changes?: Partial<TestCardDefinition>) =>
      actor.send({ type: 'swiped', presented: cardOf(id, changes) }),
    /** Presents a card as it looks after a real reader has read it. */
    present: (type: 'inserted' | 'tapped' | 'swiped', card: MaskedCard) =>
      actor.send({ type, presented: present(card) }),
    remove: () => actor.send({ type: 'removed' }),
    press: (...keys: (TerminalKey | string)[]) => {
      for (const key of keys.flatMap((each) => (/^\d+$/.test(each) ? [...each] : [each])))
        actor.send({ type: 'key', key: key as TerminalKey });
    },
    abort: () => actor.send({ type: 'abort' }),
    answer: (answer: HostAnswer) => actor.send({ type: 'host.answered', answer }),
    /** Gives the result that the terminal sent last, in the words of the payments API. */
    outcome: () => {
      const payment = concluded.at(-1);
      if (!payment) return undefined;
      const answer = makePaymentAnswer(payment, makeTerminalIdentity('V400m-100000001'), clock.now(), 'a1');
      const response = answer as PaymentResponse;
      return {
        result: response.Response.Result,
        condition: response.Response.ErrorCondition,
        pairs: Object.fromEntries(new URLSearchParams(response.Response.AdditionalResponse)),
        card: response.PaymentResult?.PaymentInstrumentData.CardData,
        response,
        reversal: answer as ReversalResponse,
      };
    },
  };
  return harness;
}
