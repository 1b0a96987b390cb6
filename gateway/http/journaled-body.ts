import type { BodyText } from '../../shared/journal-size.ts';
import type { Answer } from './endpoint.ts';
import { hasContentType } from './journaled-headers.ts';

/**
 * Gives the answer's body as the journal keeps it. If an answer has its own text, that text is JSON, unless the
 * answer's headers say otherwise.
 */
export function journaledBody(answer: Answer, text: string, bytes?: number): BodyText | undefined {
  if (text === '') return undefined;
  const isText = answer.text !== undefined && hasContentType(answer.headers ?? {});
  return isText ? { text, read: (page) => page, bytes } : { text, bytes };
}
