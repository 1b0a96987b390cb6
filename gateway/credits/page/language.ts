import Negotiator from 'negotiator';
import { type Language, languages } from '../../../shared/emulator/screen.ts';

/** Gives the language that the browser prefers among those of the page; English if it prefers none of them. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
  const wanted = new Negotiator({ headers }).languages();
  for (const tag of wanted) {
    const found = languages.find((language) => tag.toLowerCase().split('-')[0] === language);
    if (found) return found;
  }
  return 'en';
}
