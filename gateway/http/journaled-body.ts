import type { ReadableBodyText } from '../../shared/journal-size.ts';
import type { Answer } from './endpoint.ts';
import { hasContentType } from './journaled-headers.ts';

/**
 * Gives the answer's body in the form in which the journal keeps it. If the answer has the field `text`, that text is
 * JSON, unless the answer's headers name another content type.
 */
export function answerBodyForJournal(
  answer: Answer,
  text: string,
  bytes?: number,
): ReadableBodyText | undefined {
  if (text === '') return undefined;
  const isText = answer.text !== undefined && hasContentType(answer.headers ?? {});
  return isText ? { text, read: (page) => page, bytes } : { text, bytes };
}
