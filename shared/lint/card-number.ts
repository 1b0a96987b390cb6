import { findFieldOccurrences, type LintRule } from './rule.ts';

/**
 * Finds texts that look like a card number. pinpad masks such texts before it shows them (B126), but the point of sale
 * should not have sent them.
 */
export const cardNumberSentRule: LintRule = {
  id: 'card-number-sent',
  severity: 'warning',
  why: 'a system that stores, processes or sends card numbers must comply with all of PCI DSS; a point of sale with a terminal does not need card numbers',
  fix: 'send identifiers of your own, never data of a card',
  check: (watched) =>
    findFieldOccurrences(watched, 'request.cardNumber', 'contains what looks like a card number'),
};
