import type { BodyText } from '../../shared/journal-size.ts';
import type { Answer } from './endpoint.ts';
import { hasContentType } from './journaled-headers.ts';

/**
 * Gives the answer's body as the journal keeps it. An answer that has its own text is JSON, unless its headers say
 * otherwise.
 */
export function journaledBody(answer: Answer, text: string, bytes?: number): BodyText | undefined {
  if (text === '') return undefined;
  const isText = answer.text !== undefined && hasContentType(answer.headers ?? {});
  return isText ? { text, read: (page) => page, bytes } : { text, bytes };
}
