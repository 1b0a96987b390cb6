import { type TestCard, testCards } from './default/test-cards.ts';

/** Finds the test card with this id or number. Only test cards can be saved, so no real card is ever saved. */
export function findTestCard(idOrNumber: string): TestCard | undefined {
  return testCards.find(({ id, number }) => id === idOrNumber || number === idOrNumber);
}

/** The names by which a configuration refers to test cards. */
export const testCardIds: readonly string[] = testCards.map(({ id }) => id);

/** Describes in words how a test card behaves. */
export function describeTestCardBehaviour({ authorize, capture, refund }: TestCard): string {
  if (authorize) return `declines with ${authorize.declineCode}`;
  if (capture) return `approves, but a capture fails with ${capture.declineCode}`;
  if (refund === 'failsAtCreation') return 'approves, but a refund fails at once';
  if (refund === 'failsWhileProcessing') return 'approves, but a refund fails while it is processed';
  if (refund === 'failsAfterSubmission') return 'approves, but a refund fails after its submission';
  return 'approves';
}
