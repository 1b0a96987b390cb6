import type { Answer } from './endpoint.ts';

/**
 * Gives the text of an answer in the form in which the client gets it. If the request was encrypted, the text is
 * encrypted.
 */
export function sealAnswerTextIfNeeded(
  { status }: Answer,
  text: string,
  seal?: (text: string) => string,
): string {
  return seal && status === 200 && text !== '' ? seal(text) : text;
}
