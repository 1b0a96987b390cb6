import type { Language } from '../../../shared/emulator/screen.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';
import { it } from './texts/it.ts';
import { nl } from './texts/nl.ts';

/** Everything a customer can read at a payment link, in one language. */
export interface PageTexts {
  /** Above the amount. */
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

/** Every language the page exists in (decision 1). */
export const pageTexts: Record<Language, PageTexts> = { en, fr, de, es, it, nl };
