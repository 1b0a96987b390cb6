import type { Answer } from './endpoint.ts';

/** The text of an answer as its client gets it: in an envelope if the request came in one. */
export function onWire({ status }: Answer, text: string, seal?: (text: string) => string): string {
  return seal && status === 200 && text !== '' ? seal(text) : text;
}
