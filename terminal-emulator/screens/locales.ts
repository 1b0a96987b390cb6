import type { Language } from '../../shared/emulator/screen.ts';
import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { fr } from './locales/fr.ts';
import { it } from './locales/it.ts';
import type { Locale } from './locales/locale.ts';
import { nl } from './locales/nl.ts';

/** The languages of the screens, each with its texts (B20). */
export const locales: Record<Language, Locale> = { en, fr, de, es, it, nl };
