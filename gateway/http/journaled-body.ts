import type { BodyText } from '../../shared/journal-size.ts';
import type { Answer } from './endpoint.ts';
import { hasContentType } from './journaled-headers.ts';

/**
 * The answer's body in the form that the journal keeps. An answer with its own text is JSON unless its headers say
 * otherwise.
 */
export function journaledBody(answer: Answer, text: string, bytes?: number): BodyText | undefined {
  if (text === '') return undefined;
  const isText = answer.text !== undefined && hasContentType(answer.headers ?? {});
  return isText ? { text, read: (page) => page, bytes } : { text, bytes };
}
