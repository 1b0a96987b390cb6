import type { Answer } from './endpoint.ts';

/** Gives the text of an answer as its client gets it. It is encrypted if the request was encrypted. */
export function textForClient({ status }: Answer, text: string, seal?: (text: string) => string): string {
  return seal && status === 200 && text !== '' ? seal(text) : text;
}
