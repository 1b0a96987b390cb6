import type { Language } from '../../../shared/emulator/screen.ts';
import { formatMoney } from '../../../shared/money.ts';
import { makeSecret } from '../../accounts/secret.ts';
import type { Answer } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';
import type { Services } from '../../services.ts';
import type { CreditRow, VerifiedCreditVisitorRow } from '../../store/rows/credits.ts';
import { type BankFields, chooseUsualBankAccountKind, parseBankDetails } from '../bank-details.ts';
import type { BankAccountKind } from '../schemas.ts';
import { choosePageLanguage } from './language.ts';
import { type PaymentLinkPage, renderPage, type ShownCredit } from './render.ts';
import { isValidCsrfToken, makeCsrfToken, makeVisitCookie, readVisitSecret } from './session-cookie.ts';

export type PayoutPageParts = Pick<
  Services,
  'runtime' | 'accounts' | 'credits' | 'visits' | 'questions' | 'address'
>;

/**
 * With these headers the page loads nothing from other servers. No other page can show this page in a frame, and no
 * browser caches this page. Browsers do not send its address in the header Referer.
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

/** The browser's headers that the page uses. */
interface BrowserHeaders {
  'accept-language'?: string;
  cookie?: string;
}

/** A form of the page. `step` names the form. Besides `step` and `csrf`, each form has only some of the fields. */
interface StepForm extends BankFields {
  step: 'answer' | 'bank' | 'accept' | 'change';
  csrf: string;
  answer?: string;
}

/** A customer at a link, with everything that is known about the customer's visit. */
interface PageSession {
  secret: string;
  credit: CreditRow;
  visit: VerifiedCreditVisitorRow | undefined;
  visitSecret: string | undefined;
  language: Language;
}

/** The customer's page at a payment link. It answers each request of a browser with the next step. */
export class PayoutPage {
  #parts: PayoutPageParts;

  constructor(parts: PayoutPageParts) {
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
    if (!isValidCsrfToken(form.csrf, session.visitSecret, secret)) return this.#step(session, 403, true);
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
    const visitSecret = readVisitSecret(headers.cookie);
    const visit = visitSecret === undefined ? undefined : await visits.visit(credit, visitSecret);
    return { secret, credit, visit, visitSecret, language: choosePageLanguage(headers['accept-language']) };
  }

  /** Gives the page that the customer must see next. */
  async #step(session: PageSession, status: number, stale = false): Promise<Answer> {
    const { visit, credit, secret } = session;
    const locked = visit ? undefined : this.#parts.visits.lockedUntil(credit);
    if (locked !== undefined) return this.#locked(session, locked);
    const visitSecret = session.visitSecret ?? makeSecret(this.#parts.runtime.random, '');
    const facts = { offer: this.#offer(session), csrf: makeCsrfToken(visitSecret, secret), stale };
    const setCookie: Record<string, string> =
      session.visitSecret === undefined ? { 'Set-Cookie': this.#cookie(visitSecret, secret) } : {};
    const answer = (page: PaymentLinkPage) => pageAnswer(status, page, session.language, setCookie);
    if (!visit) return answer({ ...facts, step: 'question', question: await this.#question(credit) });
    if (visit.bank_kind === null || visit.bank_masked === null)
      return answer({
        ...facts,
        step: 'bank',
        fields: { kind: chooseUsualBankAccountKind(credit.currency) },
        faults: [],
      });
    const kind = visit.bank_kind as BankAccountKind;
    return answer({ ...facts, step: 'review', kind, account: visit.bank_masked });
  }

  async #answer(session: PageSession, given: string): Promise<Answer> {
    const { credit, secret, language } = session;
    if (session.visit) return onward(secret);
    const answered = await this.#parts.visits.answer(credit, given);
    if (answered.right) return onward(secret, { 'Set-Cookie': this.#cookie(answered.visitSecret, secret) });
    if ('gone' in answered) return pageAnswer(410, { step: 'gone' }, language);
    if ('lockedUntil' in answered) return this.#locked(session, answered.lockedUntil);
    const csrf = makeCsrfToken(session.visitSecret ?? '', secret);
    const question = await this.#question(credit);
    const { triesLeft } = answered;
    return pageAnswer(
      422,
      { step: 'question', offer: this.#offer(session), csrf, question, triesLeft },
      language,
    );
  }

  async #bank(session: PageSession, visit: VerifiedCreditVisitorRow, form: StepForm): Promise<Answer> {
    const read = parseBankDetails(form);
    if (!Array.isArray(read)) {
      await this.#parts.visits.name(visit, read);
      return onward(session.secret);
    }
    const csrf = makeCsrfToken(session.visitSecret ?? '', session.secret);
    const page: PaymentLinkPage = {
      step: 'bank',
      offer: this.#offer(session),
      csrf,
      fields: form,
      faults: read,
    };
    return pageAnswer(422, page, session.language);
  }

  async #accept(session: PageSession, visit: VerifiedCreditVisitorRow): Promise<Answer> {
    const { credit, language } = session;
    if (visit.bank_kind === null || visit.bank_masked === null) return onward(session.secret);
    const to = {
      kind: visit.bank_kind as BankAccountKind,
      masked: visit.bank_masked,
      refuses: visit.bank_refuses === 1,
    };
    const ended = await this.#parts.credits.accept(credit.id, to).catch((error: unknown) => {
      // Another request was faster and has changed the credit, so this request changes nothing.
      if (error instanceof ApiError && error.code === 'conflict') return undefined;
      throw error;
    });
    if (!ended) return pageAnswer(410, { step: 'gone' }, language);
    const offer = this.#offer(session);
    const page: PaymentLinkPage =
      ended.state === 'completed' ? { step: 'done', offer, account: to.masked } : { step: 'refused', offer };
    return pageAnswer(200, page, language);
  }

  #cookie(visitSecret: string, linkSecret: string): string {
    return makeVisitCookie(
      visitSecret,
      linkSecret,
      this.#parts.address.forCustomers('/').protocol === 'https:',
    );
  }

  #locked(session: PageSession, until: number): Answer {
    const restMs = until - this.#parts.runtime.clock.now();
    const page: PaymentLinkPage = {
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
  page: PaymentLinkPage,
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
  return pageAnswer(410, { step: 'gone' }, choosePageLanguage(headers['accept-language']));
}

/**
 * Redirects the browser to the page by GET. If the customer goes back or reloads the page, the browser then does not
 * send the form again.
 */
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
