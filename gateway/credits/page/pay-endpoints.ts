import { z } from 'zod';
import { type Language, languages } from '../../../shared/emulator/screen.ts';
import { formatMoney } from '../../../shared/money.ts';
import { makeSecret } from '../../accounts/secret.ts';
import { type Answer, type AnyEndpoint, endpoint } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';
import type { Services } from '../../services.ts';
import type { CreditRow, CreditVisitRow } from '../../store/rows/credits.ts';
import { readBankDetails, usualBankKind } from '../bank-details.ts';
import type { BankKind } from '../schemas.ts';
import { assetEndpoint } from './assets.ts';
import { preferredLanguage } from './language.ts';
import { type LinkPage, renderPage, type ShownCredit } from './render.ts';
import { csrfToken, isCsrfToken, visitCookie, visitSecretOf } from './session-cookie.ts';

type PayPageParts = Pick<Services, 'runtime' | 'accounts' | 'credits' | 'visits' | 'questions' | 'address'>;

/**
 * With these headers the page loads nothing from other servers, and cannot be framed or cached. Its address is not sent
 * in the Referer header.
 */
const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'X-Robots-Tag': 'noindex, nofollow',
};

const linkParams = z.object({ token: z.string().max(200).meta({ description: 'The secret of the link' }) });
const browserHeaders = z.object({
  'accept-language': z
    .string()
    .max(1000)
    .optional()
    .meta({ description: languages.join(', ') }),
  cookie: z.string().max(8000).optional(),
});
const text = (longest: number) => z.string().max(longest).optional();
const stepForm = z
  .object({
    step: z.enum(['answer', 'bank', 'accept', 'change']),
    csrf: z.string().max(100),
    answer: text(200),
    kind: text(10),
    iban: text(60),
    routing: text(30),
    transit: text(30),
    institution: text(30),
    account: text(60),
  })
  .meta({ id: 'PaymentLinkForm' });
type StepForm = z.infer<typeof stepForm>;

const htmlPage = (description: string) => ({
  description,
  contentType: 'text/html',
  schema: z.string(),
  examples: { page: '<!doctype html>…' },
});
const gonePage = htmlPage('The link was used, has expired or never existed; the page does not say which');

/** A customer at a link, with everything that is known about the customer's visit. */
interface PageSession {
  secret: string;
  credit: CreditRow;
  visit: CreditVisitRow | undefined;
  visitSecret: string | undefined;
  language: Language;
}

/**
 * Makes the endpoints of the page at a payment link (B97–B101). The page has plain forms, so it works without
 * JavaScript.
 */
export function payPageEndpoints(parts: PayPageParts): AnyEndpoint[] {
  const page = new PayPage(parts);
  const common = {
    tag: 'Payment links',
    guard: 'open',
    journaled: 'nothing', // the path contains the link's secret
    params: linkParams,
    headers: browserHeaders,
  } as const;
  return [
    assetEndpoint,
    endpoint({
      ...common,
      route: 'GET /pay/{token}',
      operationId: 'openPaymentLink',
      summary: "The customer's page",
      responses: {
        200: htmlPage("The customer's present step"),
        410: gonePage,
        429: htmlPage('Locked after three wrong answers'),
      },
      handle: ({ params, headers }) => page.open(params.token, headers),
    }),
    endpoint({
      ...common,
      route: 'POST /pay/{token}',
      operationId: 'submitPaymentLinkForm',
      summary: "A form of the customer's page",
      bodyType: 'form',
      body: stepForm,
      bodyExamples: { answer: { step: 'answer', csrf: '…', answer: 'blue' } },
      responses: {
        200: htmlPage('The link has ended: the money is on its way, or the bank refused'),
        303: { description: 'Redirects to the next step', headers: { Location: 'The page' } },
        403: htmlPage('The form did not come from the page, or is too old'),
        410: gonePage,
        422: htmlPage('The answer or the bank details are wrong'),
        429: htmlPage('Locked after three wrong answers'),
      },
      handle: ({ params, headers, body }) => page.submit(params.token, headers, body),
    }),
  ];
}

type BrowserHeaders = z.infer<typeof browserHeaders>;

class PayPage {
  #parts: PayPageParts;

  constructor(parts: PayPageParts) {
    this.#parts = parts;
  }

  async open(secret: string, headers: BrowserHeaders): Promise<Answer> {
    const session = await this.#session(secret, headers);
    if (!session) return gone(headers);
    return this.#step(session, 200);
  }

  async submit(secret: string, headers: BrowserHeaders, form: StepForm): Promise<Answer> {
    const session = await this.#session(secret, headers);
    if (!session) return gone(headers);
    if (!isCsrfToken(form.csrf, session.visitSecret, secret)) return this.#step(session, 403, true);
    if (form.step === 'answer') return this.#answer(session, form.answer ?? '');
    const { visit } = session;
    if (!visit) return this.#step(session, 403, true);
    if (form.step === 'bank') return this.#bank(session, visit, form);
    if (form.step === 'change') {
      await this.#parts.visits.name(visit, undefined);
      return onward(secret);
    }
    return this.#accept(session, visit);
  }

  async #session(secret: string, headers: BrowserHeaders): Promise<PageSession | undefined> {
    const { visits } = this.#parts;
    const credit = await visits.find(secret);
    if (!credit) return undefined;
    const visitSecret = visitSecretOf(headers.cookie);
    const visit = visitSecret === undefined ? undefined : await visits.visit(credit, visitSecret);
    return { secret, credit, visit, visitSecret, language: preferredLanguage(headers['accept-language']) };
  }

  /** Gives the page that the customer must see next. */
  async #step(session: PageSession, status: number, stale = false): Promise<Answer> {
    const { visit, credit, secret } = session;
    const locked = visit ? undefined : this.#parts.visits.lockedUntil(credit);
    if (locked !== undefined) return this.#locked(session, locked);
    const visitSecret = session.visitSecret ?? makeSecret(this.#parts.runtime.random, '');
    const facts = { offer: this.#offer(session), csrf: csrfToken(visitSecret, secret), stale };
    const setCookie: Record<string, string> =
      session.visitSecret === undefined ? { 'Set-Cookie': this.#cookie(visitSecret, secret) } : {};
    const answer = (page: LinkPage) => pageAnswer(status, page, session.language, setCookie);
    if (!visit) return answer({ ...facts, step: 'question', question: await this.#question(credit) });
    if (visit.bank_kind === null || visit.bank_masked === null)
      return answer({ ...facts, step: 'bank', fields: { kind: usualBankKind(credit.currency) }, faults: [] });
    const kind = visit.bank_kind as BankKind;
    return answer({ ...facts, step: 'review', kind, account: visit.bank_masked });
  }

  async #answer(session: PageSession, given: string): Promise<Answer> {
    const { credit, secret, language } = session;
    if (session.visit) return onward(secret);
    const answered = await this.#parts.visits.answer(credit, given);
    if (answered.right) return onward(secret, { 'Set-Cookie': this.#cookie(answered.visitSecret, secret) });
    if ('gone' in answered) return pageAnswer(410, { step: 'gone' }, language);
    if ('lockedUntil' in answered) return this.#locked(session, answered.lockedUntil);
    const csrf = csrfToken(session.visitSecret ?? '', secret);
    const question = await this.#question(credit);
    const { triesLeft } = answered;
    return pageAnswer(
      422,
      { step: 'question', offer: this.#offer(session), csrf, question, triesLeft },
      language,
    );
  }

  async #bank(session: PageSession, visit: CreditVisitRow, form: StepForm): Promise<Answer> {
    const read = readBankDetails(form);
    if (!Array.isArray(read)) {
      await this.#parts.visits.name(visit, read);
      return onward(session.secret);
    }
    const csrf = csrfToken(session.visitSecret ?? '', session.secret);
    const page: LinkPage = { step: 'bank', offer: this.#offer(session), csrf, fields: form, faults: read };
    return pageAnswer(422, page, session.language);
  }

  async #accept(session: PageSession, visit: CreditVisitRow): Promise<Answer> {
    const { credit, language } = session;
    if (visit.bank_kind === null || visit.bank_masked === null) return onward(session.secret);
    const to = {
      kind: visit.bank_kind as BankKind,
      masked: visit.bank_masked,
      refuses: visit.bank_refuses === 1,
    };
    const ended = await this.#parts.credits.accept(credit.id, to).catch((error: unknown) => {
      // Another request was faster and has changed the credit, so this one changes nothing.
      if (error instanceof ApiError && error.code === 'conflict') return undefined;
      throw error;
    });
    if (!ended) return pageAnswer(410, { step: 'gone' }, language);
    const offer = this.#offer(session);
    const page: LinkPage =
      ended.state === 'completed' ? { step: 'done', offer, account: to.masked } : { step: 'refused', offer };
    return pageAnswer(200, page, language);
  }

  #cookie(visitSecret: string, linkSecret: string): string {
    return visitCookie(visitSecret, linkSecret, this.#parts.address.forCustomers('/').protocol === 'https:');
  }

  #locked(session: PageSession, until: number): Answer {
    const restMs = until - this.#parts.runtime.clock.now();
    const page: LinkPage = {
      step: 'locked',
      offer: this.#offer(session),
      minutes: Math.ceil(restMs / 60_000),
    };
    return pageAnswer(429, page, session.language, { 'Retry-After': String(Math.ceil(restMs / 1000)) });
  }

  #offer({ credit, language }: PageSession): ShownCredit {
    return {
      merchant: this.#parts.accounts.account(credit.account_id).name,
      amount: formatMoney(credit.amount, credit.currency, language),
      statement: credit.statement,
    };
  }

  async #question(credit: CreditRow): Promise<string> {
    return (await this.#parts.questions.question(credit.account_id)) ?? '';
  }
}

function pageAnswer(
  status: number,
  page: LinkPage,
  language: Language,
  headers: Record<string, string> = {},
): Answer {
  return {
    status,
    text: renderPage(page, language),
    headers: { ...pageHeaders, 'Content-Language': language, Vary: 'Accept-Language, Cookie', ...headers },
  };
}

function gone(headers: BrowserHeaders): Answer {
  return pageAnswer(410, { step: 'gone' }, preferredLanguage(headers['accept-language']));
}

/** Redirects the browser to the page by GET. The browser then repeats no form if the customer goes back or reloads. */
function onward(secret: string, headers: Record<string, string> = {}): Answer {
  return {
    status: 303,
    headers: {
      Location: `/pay/${secret}`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    },
  };
}
