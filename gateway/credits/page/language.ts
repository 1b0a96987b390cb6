import Negotiator from 'negotiator';
import { type Language, languages } from '../../../shared/emulator/screen.ts';

/**
 * Chooses one of the page's languages: the one that the browser prefers, or English if the browser prefers none of
 * them.
 */
export function choosePageLanguage(acceptLanguage: string | undefined): Language {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
  const wanted = new Negotiator({ headers }).languages();
  for (const tag of wanted) {
    const found = languages.find((language) => tag.toLowerCase().split('-')[0] === language);
    if (found) return found;
  }
  return 'en';
}
