import type { Language } from '../../../shared/emulator/screen.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';
import { it } from './texts/it.ts';
import { nl } from './texts/nl.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** The texts of the page in every language (B20). */
export const pageTexts: Record<Language, PageTexts> = { en, fr, de, es, it, nl };
