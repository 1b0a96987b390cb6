import type { Random } from '../../shared/random.ts';
import type { HttpAnswer } from './http-request.ts';

/** Sends a customer's request to the gateway. Resolves to undefined if no answer came. */
export type Browse = (
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: string,
) => Promise<HttpAnswer | undefined>;

/** How a visit to a payment link ended, as the customer saw it. */
export type VisitEnd = 'paid' | 'refused' | 'gone' | 'lost patience';

/** A bank account that accepts the payout, and one whose bank refuses it. */
const ibans = { taken: 'DE89370400440532013000', refused: 'DE62370400440532013001' };

/**
 * Plays a customer who opens a payment link with nothing but forms and a cookie. The customer answers the question,
 * names a bank account and accepts. If an answer does not come, the customer opens the link again. Returns how the
 * visit ended, and whether the customer pressed accept. The link may be used up after the customer has pressed
 * accept.
 */
export async function visitPaymentLink(
  browse: Browse,
  link: string,
  options: { random: Random; answer: string; refused: boolean },
): Promise<{ visitEnd: VisitEnd; accepted: boolean }> {
  const { random, answer, refused } = options;
  const path = new URL(link).pathname;
  const fields: Record<string, Record<string, string>> = {
    answer: { answer },
    bank: { kind: 'iban', iban: refused ? ibans.refused : ibans.taken },
    accept: {},
  };
  let cookie = '';
  let accepted = false;
  let page = '';
  for (let clicks = 0; clicks < 40; clicks++) {
    const step = /name="step" value="(answer|bank|accept)"/.exec(page)?.[1];
    const csrf = /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const headers = { 'accept-language': 'en', ...(cookie === '' ? {} : { cookie }) };
    if (step === 'accept') accepted = true;
    const wrong = step === 'answer' && random.int(4) === 0;
    const form = { step: step ?? '', csrf, ...fields[step ?? ''], ...(wrong ? { answer: 'no idea' } : {}) };
    const reply =
      step === undefined
        ? await browse('GET', path, headers)
        : await browse(
            'POST',
            path,
            { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
            new URLSearchParams(form).toString(),
          );
    page = reply?.text ?? '';
    if (reply?.cookie !== undefined) cookie = reply.cookie.split(';')[0] ?? '';
    if (reply?.status === 410) return { visitEnd: 'gone', accepted };
    if (reply?.status === 429) return { visitEnd: 'lost patience', accepted };
    if (step === 'accept' && reply?.status === 200)
      return { visitEnd: refused ? 'refused' : 'paid', accepted };
  }
  return { visitEnd: 'lost patience', accepted };
}
