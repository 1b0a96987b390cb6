import { assertEvent, assign, setup } from 'xstate';
import { largestAmountMinor } from '../../shared/money.ts';
import type { DisplayEvent } from '../../shared/nexo/enums.ts';
import { makeTipChoices, type TipChoice } from '../screens/tip-choices.ts';
import { chooseVerification, isChipUnreadable, judgeCard, mostChipTries } from './card-verdict.ts';
import { type EndingReason, endingForReason } from './ending.ts';
import {
  type CardVerdict,
  makeContextWithoutPayment,
  makeFreshPaymentContext,
  type PaymentContext,
  type PaymentMachineEvent,
  type PaymentMachineInput,
} from './payment-context.ts';
import { toUsedCard, withChosenApplication } from './used-card.ts';

/**
 * The maximum number of digits that a person can type: nexo's maximum for an amount, 19 for a card number, and 12 for a
 * PIN (ISO 9564).
 */
const typedLimits = { customTip: 10, keyedNumber: 19, keyedExpiry: 4, pin: 12 } as const;
type TypingState = keyof typeof typedLimits;

/**
 * The cause that ends the wait in a state of the machine (B272). `person`: a person presses a key, or presents or
 * removes a card; virtual time stands still. `host`: the host answers. `pause`: the time for reading or showing
 * something is over; a card can be pulled out during a pause, but the state does not wait for that. `nobody`: there is
 * no payment, so nothing ends the wait. `passing`: the machine does not wait, but leaves the state at once.
 */
type WaitsFor = 'person' | 'host' | 'pause' | 'nobody' | 'passing';

/**
 * The named guards, actions and delays of the payment machine. An action either changes the machine's context or has an
 * effect outside the machine.
 */
export const paymentMachineSetup = setup({
  types: {} as {
    context: PaymentContext;
    events: PaymentMachineEvent;
    input: PaymentMachineInput;
    tags: WaitsFor;
  },
  delays: {
    cardTime: ({ context }) => context.timeouts.cardMs,
    promptTime: ({ context }) => context.timeouts.promptMs,
    hostTime: ({ context }) => context.timeouts.hostMs,
    readTime: ({ context }) => readMs(context),
    resultTime: ({ context }) => context.pacing.resultMs,
    printTime: ({ context }) => context.pacing.printMs,
    errorTime: ({ context }) => context.pacing.errorMs,
  },
  guards: {
    beginsWithTip: ({ context, event }) =>
      context.slot === undefined && event.type === 'start' && event.order.gratuity !== undefined,
    takesNoCard: ({ event }) => isReversal(event),
    lacksItsCard: ({ event }) => isReversal(event) && needsOriginalCard(event),
    choosesTip: ({ context, event }) => chosenTip(context, event)?.amountMinor !== undefined,
    choosesCustomTip: ({ context, event }) => chosenTip(context, event)?.kind === 'custom',
    tipTooMuch: ({ context }) => totalWithTyped(context) > maximumTotal(context),
    isKey: ({ event }, params: { key: string }) => event.type === 'key' && event.key === params.key,
    isDigit: ({ event }) => isDigit(event),
    typedEnough: ({ context }, params: { digits: number }) => context.typed.length >= params.digits,
    offersChip: ({ context }) => context.order.ways.includes('ICC'),
    offersTap: ({ context }) => context.order.ways.includes('Contactless'),
    tapPays: ({ context, event }) => paysAtOnce(context, event),
    tapFails: ({ event }) => event.type === 'tapped' && event.presented.card.tapFailure !== undefined,
    offersStripe: ({ context }) => context.order.ways.includes('MagStripe'),
    startsKeying: ({ context, event }) => context.order.ways.includes('Keyed') && isDigit(event),
    slotTaken: ({ context }) => context.slot !== undefined,
    slotFree: ({ context }) => context.slot === undefined,
    isApproved: ({ context }) => context.answer?.Approved === true,
    cardIsThere: ({ context }) => context.slot !== undefined && context.order.ways.includes('ICC'),
    paysByChip: ({ context }) => context.used?.entryMode === 'ICC',
    verdictIs: ({ context }, params: { verdict: CardVerdict }) => context.verdict === params.verdict,
    choosesApplication: ({ context, event }) => chosenApplication(context, event) !== undefined,
    acceptedWithPin: ({ context }) =>
      context.verdict === 'accepted' && chooseVerification(context).endsWith('Pin'),
    asksIssuer: ({ context }) => chooseVerification(context) === 'onlinePin',
    pinIsRight: ({ context }) => pinIsRight(context),
    hasTriesAfterThis: ({ context }) => context.triesLeft > 1,
    approves: ({ event }) => event.type === 'host.answered' && event.answer.Approved,
    asksPinAgain: ({ context, event }) => findsPinWrong(context, event) && context.triesLeft > 1,
    findsPinWrong: ({ context, event }) => findsPinWrong(context, event),
    isShownAs: ({ context }, params: { screen: string }) =>
      context.reason !== undefined && endingForReason(context.reason).screen === params.screen,
  },
  actions: {
    authorize: ({ context }) => context.effects.authorize(context),
    conclude: ({ context }) => context.effects.conclude(context),
    notify: ({ context }, params: { event: DisplayEvent }) => context.effects.notify(params.event, context),
    identify: ({ context, self }) =>
      self.send({ type: 'keyed', presented: context.effects.identify(context.number, context.typed) }),
    blockCard: ({ context }) => context.used && context.effects.block(context.used.card),
    print: ({ context }) => context.effects.print(context),
    /** Prints the receipts of an approved payment whose card has not been taken out yet. */
    printApproved: ({ context }) => {
      if (context.answer?.Approved) context.effects.print(context);
    },

    begin: assign(({ event }) => {
      assertEvent(event, 'start');
      return makeFreshPaymentContext(event.order);
    }),
    forget: assign(({ context }) => makeContextWithoutPayment(context)),
    endBecause: assign((_, params: { reason: EndingReason }) => ({ reason: params.reason, typed: '' })),
    endByVerdict: assign(({ context }) => ({ reason: context.verdict as EndingReason })),
    noteReversal: assign((_, params: { why: 'Timeout' | 'CardRemoved' }) => ({ reversal: params.why })),
    takeTip: assign(({ context, event }) => ({
      tipMinor: chosenTip(context, event)?.amountMinor ?? 0,
    })),
    takeCustomTip: assign(({ context }) => ({ tipMinor: Number(context.typed), typed: '' })),
    refuseTip: assign({ typed: '', tipTooMuch: true }),
    type: assign(({ context, event }, params: { into: TypingState }) => ({
      typed: typeDigit(context.typed, event, typedLimits[params.into]),
      tipTooMuch: false,
    })),
    erase: assign(({ context }) => ({ typed: context.typed.slice(0, -1), tipTooMuch: false })),
    clearTyped: assign({ typed: '' }),
    keepNumber: assign(({ context }) => ({ number: context.typed, typed: '' })),
    fillSlot: assign(({ event }) => {
      assertEvent(event, 'inserted');
      return { slot: event.presented };
    }),
    noteTapFailure: assign(({ event }) => {
      assertEvent(event, 'tapped');
      return { tapFailure: event.presented.card.tapFailure };
    }),
    emptySlot: assign({ slot: undefined }),
    useSlot: assign(({ context }) => ({
      used: context.slot && toUsedCard(context.slot, 'ICC', context.order),
    })),
    useTapped: assign(({ context, event }) => ({ used: tappedWith(context, event).used })),
    readTapped: assign(({ context, event }) => afterReading(tappedWith(context, event))),
    useSwiped: assign(({ context, event }) => {
      assertEvent(event, 'swiped');
      return { used: toUsedCard(event.presented, 'MagStripe', context.order) };
    }),
    useKeyed: assign(({ context, event }) => {
      assertEvent(event, 'keyed');
      const used = event.presented && toUsedCard(event.presented, 'Keyed', context.order);
      return { used, number: '', typed: '' };
    }),
    judge: assign(({ context }) => afterReading(context)),
    chooseApplication: assign(({ context: { used, ...context }, event }) => {
      const chosen = chosenApplication({ used, ...context }, event);
      return { used: used && chosen ? withChosenApplication(chosen, used) : used };
    }),
    noteOfflinePin: assign({ verification: 'OfflinePIN', typed: '' }),
    noteOnlinePin: assign(({ context }) => ({
      verification: 'OnlinePIN' as const,
      onlinePin: pinIsRight(context) ? ('Correct' as const) : ('Wrong' as const),
      typed: '',
    })),
    loseTry: assign(({ context }) => ({ triesLeft: context.triesLeft - 1, typed: '' })),
    noteAnswer: assign(({ event }) => {
      assertEvent(event, 'host.answered');
      return { answer: event.answer };
    }),
  },
});

/** After one of these verdicts, the terminal still knows nothing about the card. */
const unreadVerdicts: CardVerdict[] = ['chipUnreadable', 'swipeInstead', 'cardUnreadable', 'chipNotReadable'];

/** Gives the changes to the context after a card was read. */
function afterReading(payment: PaymentContext) {
  const { used } = payment;
  const chipFailed = used !== undefined && isChipUnreadable(used, payment.chipFailures);
  const chipFailures = Math.min(payment.chipFailures + (chipFailed ? 1 : 0), mostChipTries);
  const verdict = judgeCard({ ...payment, chipFailed, chipFailures });
  const cardRead = !unreadVerdicts.includes(verdict);
  const signs = verdict === 'accepted' && chooseVerification(payment) === 'signature';
  return {
    ...{ verdict, cardRead, chipFailed, chipFailures, tapFailure: undefined },
    used: cardRead ? used : undefined,
    verification: signs ? ('PaperSignature' as const) : undefined,
  };
}

/** Gives the payment with the tapped card added to it. A tap does not count as a try of the chip reader. */
function tappedWith(payment: PaymentContext, event: PaymentMachineEvent): PaymentContext {
  assertEvent(event, 'tapped');
  const used = toUsedCard(event.presented, 'Contactless', payment.order);
  return { ...payment, used, chipFailed: false };
}

/** Whether a tapped card is accepted at once, without a PIN. */
function paysAtOnce(payment: PaymentContext, event: PaymentMachineEvent): boolean {
  if (event.type !== 'tapped' || !payment.order.ways.includes('Contactless')) return false;
  const tapped = tappedWith(payment, event);
  return judgeCard(tapped) === 'accepted' && !chooseVerification(tapped).endsWith('Pin');
}

function readMs({ used, pacing }: PaymentContext): number {
  if (used?.entryMode === 'ICC') return pacing.readChipMs;
  return used?.entryMode === 'Contactless' ? pacing.readTapMs : pacing.readStripeMs;
}

function totalWithTyped({ order, typed }: PaymentContext): number {
  return order.requestedMinor + Number(typed);
}

/**
 * The maximum total of amount and tip: the account's limit, but at most the largest amount of the currency (B13, B28).
 */
function maximumTotal({ order }: PaymentContext): number {
  return Math.min(order.gratuity?.maximumTotal ?? 0, largestAmountMinor(order.currency));
}

function isReversal(event: PaymentMachineEvent): boolean {
  return event.type === 'start' && event.order.sale.givesBack === 'reversal';
}

/**
 * Whether a reversal needs the card. With Interac, money goes back only to a card that is present, so a refund is
 * needed instead of a reversal (B478).
 */
function needsOriginalCard(event: PaymentMachineEvent): boolean {
  return event.type === 'start' && event.order.originalCard?.brand === 'interac_card';
}

function isDigit(event: PaymentMachineEvent): boolean {
  return event.type === 'key' && /^\d$/.test(event.key);
}

function findsPinWrong({ onlinePin }: PaymentContext, event: PaymentMachineEvent): boolean {
  if (event.type !== 'host.answered' || onlinePin === undefined) return false;
  return event.answer.ErrorCondition === 'WrongPIN';
}

function typeDigit(typed: string, event: PaymentMachineEvent, limit: number): string {
  if (event.type !== 'key' || typed.length >= limit) return typed;
  return typed + event.key;
}

function chosenTip({ order }: PaymentContext, event: PaymentMachineEvent): TipChoice | undefined {
  if (event.type !== 'key' || !order.gratuity) return undefined;
  return makeTipChoices(order.gratuity, order.requestedMinor, order.currency, order.language).find(
    ({ key }) => key === event.key,
  );
}

function chosenApplication({ used }: PaymentContext, event: PaymentMachineEvent) {
  if (event.type !== 'key') return undefined;
  return used?.applications[Number(event.key) - 1];
}

/**
 * Whether the typed PIN is right. If the card's PIN is not known, any PIN is right. If a real reader read the card, a
 * PIN is known only if a rule sets one.
 */
function pinIsRight({ order, used, typed }: PaymentContext): boolean {
  const pin = used?.card.pin;
  return !order.pinAlwaysWrong && (pin === undefined || pin === typed);
}
