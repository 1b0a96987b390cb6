import { formatDecimalAmount } from '../../shared/money.ts';
import type { HostRefusal } from '../../shared/nexo/acquirer.ts';
import { describeRefusalReason } from '../../shared/refusal-words.ts';
import { type AmountEndingRefusals, amountEndingOf } from './amount-endings.ts';
import { choosesAnswer } from './outcomes.ts';
import type { HostOutcome } from './schemas.ts';

/** The facts on which the rules base their decision. */
export interface OutcomeRuleFacts {
  onlinePin?: 'Correct' | 'Wrong';
  paymentOutcome?: HostOutcome;
  terminalOutcome?: HostOutcome;
  card?: { maskedPan: string; behaviour?: HostRefusal };
  /** The requested amount in minor units. */
  amount: number;
  currency: string;
  /** `on` says whether the ending of an amount decides the host's answer. `setBy` says where `on` was set. */
  magicAmounts: { on: boolean; setBy: 'account' | 'terminal' };
}

/** The host's answer, the rule that decided, and the reason in words. */
interface Decision {
  rule: 'onlinePin' | 'paymentOutcome' | 'terminalOutcome' | 'card' | 'amountEnding' | 'default';
  /** The refusal; absent if the host approves. */
  behaviour?: HostRefusal;
  why: string;
}

const wrongPin: HostRefusal = {
  errorCondition: 'WrongPIN',
  refusalReason: '129 Invalid online PIN',
  message: 'INVALID_PIN',
};

type Rule = (circumstances: OutcomeRuleFacts, endings: AmountEndingRefusals) => Decision | undefined;

const onlinePin: Rule = ({ onlinePin: pin }) =>
  pin === 'Wrong' ? { rule: 'onlinePin', behaviour: wrongPin, why: 'the online PIN is wrong' } : undefined;

const paymentOutcome: Rule = ({ paymentOutcome: set }) =>
  choosesAnswer(set) ? bySetting('paymentOutcome', set, 'this payment') : undefined;

const terminalOutcome: Rule = ({ terminalOutcome: set }) =>
  choosesAnswer(set) ? bySetting('terminalOutcome', set, 'this terminal') : undefined;

const cardBehaviour: Rule = ({ card }) =>
  card?.behaviour && {
    rule: 'card',
    behaviour: card.behaviour,
    why: `the test card ${card.maskedPan} declines: ${describeRefusalReason(card.behaviour.refusalReason)}`,
  };

const amountEnding: Rule = ({ amount, currency, magicAmounts }, endings) => {
  const behaviour = endings[amountEndingOf(amount)];
  if (!behaviour || !magicAmounts.on) return undefined;
  const why = `the requested amount ${formatDecimalAmount(amount, currency)} ${currency} ends in ${amountEndingOf(amount)}: ${describeRefusalReason(behaviour.refusalReason)}`;
  return { rule: 'amountEnding', behaviour, why };
};

/** The rules in their order. The first rule that applies decides. */
const rules: readonly Rule[] = [onlinePin, paymentOutcome, terminalOutcome, cardBehaviour, amountEnding];

/** Decides on the host's answer by the first rule that applies (B127–B132). */
export function decideByRules(circumstances: OutcomeRuleFacts, endings: AmountEndingRefusals): Decision {
  for (const rule of rules) {
    const decision = rule(circumstances, endings);
    if (decision) return decision;
  }
  return { rule: 'default', why: `no rule declines the payment${endingIgnored(circumstances, endings)}` };
}

function bySetting(
  rule: 'paymentOutcome' | 'terminalOutcome',
  set: Extract<HostOutcome, { type: 'approve' | 'decline' | 'wrongPin' }>,
  what: string,
): Decision {
  if (set.type === 'approve') return { rule, why: `a test set ${what} to approve` };
  if (set.type === 'wrongPin')
    return { rule, behaviour: wrongPin, why: `a test made ${what} refuse every PIN as wrong` };
  const { errorCondition, refusalReason, message } = set;
  const why = `a test set ${what} to decline: ${describeRefusalReason(refusalReason)}`;
  return { rule, behaviour: { errorCondition, refusalReason, message }, why };
}

function endingIgnored({ amount, magicAmounts }: OutcomeRuleFacts, endings: AmountEndingRefusals): string {
  if (magicAmounts.on || !endings[amountEndingOf(amount)]) return '';
  return `; the amount's ending ${amountEndingOf(amount)} has no effect, because magic amounts are switched off for the ${magicAmounts.setBy}`;
}

/** Says why the terminal must treat every PIN as wrong. Returns undefined if the terminal need not do so (B130). */
export function wrongPinReason(
  circumstances: OutcomeRuleFacts,
  endings: AmountEndingRefusals,
): string | undefined {
  const decision = paymentOutcome(circumstances, endings) ?? terminalOutcome(circumstances, endings);
  const chosen = decision ?? amountEnding(circumstances, endings);
  return chosen?.behaviour?.errorCondition === 'WrongPIN' ? chosen.why : undefined;
}
