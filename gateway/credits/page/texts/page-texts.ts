/** All texts that a customer can see at a payment link, in one language. */
export interface PageTexts {
  /** Gives the line above the amount. */
  from(merchant: string): string;
  reference: string;
  questionHeading: string;
  answer: string;
  continue: string;
  wrongAnswer(triesLeft: number): string;
  lockedHeading: string;
  locked(minutes: number): string;
  bankHeading: string;
  kind: string;
  kinds: Record<'iban' | 'us' | 'ca', string>;
  fields: Record<'iban' | 'routing' | 'transit' | 'institution' | 'account', string>;
  hints: Record<'iban' | 'routing' | 'transit' | 'institution', string>;
  wrong: Record<'kind' | 'iban' | 'routing' | 'transit' | 'institution' | 'account', string>;
  correct: string;
  reviewHeading: string;
  to: string;
  accept(amount: string): string;
  change: string;
  doneHeading: string;
  done(account: string): string;
  refusedHeading: string;
  refused: string;
  goneHeading: string;
  gone: string;
  staleForm: string;
}
