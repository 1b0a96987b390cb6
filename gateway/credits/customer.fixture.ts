import { expect } from 'vitest';
import { SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';

/**
 * Opens a gateway with an account and a payment link of 25.50. The account's security question asks customers for a
 * colour.
 */
export async function startHarnessWithQuestion(
  options: Parameters<typeof SavedCardsHarness.start>[0] = {},
): Promise<SavedCardsHarness> {
  const harness = await SavedCardsHarness.start({
    ...options,
    account: { name: 'Blue <Shop> & Sons', ...options.account },
  });
  await harness.gateway.questions.set('shop', {
    question: 'What colour is our "shop"?',
    answer: ' Sky Blue ',
  });
  return harness;
}

export const exampleCreditBody = {
  amount: 25.5,
  statement: 'REFUND 1001',
  note: 'Deposit returned',
  from_bank_account: 'bank',
  contact_id: 'robin',
};

export async function makeLink(
  harness: SavedCardsHarness,
  changes: object = {},
): Promise<{ id: string; link: string }> {
  const { status, body } = await harness.api('PUT', '/credit', { ...exampleCreditBody, ...changes });
  expect(status).toBe(200);
  return { id: body.identifier, link: body.link };
}

/**
 * A browser without scripts. It keeps its cookie, follows redirects with the status 303, and sends the forms on the
 * pages.
 */
export class CustomerBrowser {
  readonly #link: string;
  readonly #language: string;
  cookie: string | undefined;
  status = 0;
  page = '';
  headers = new Headers();

  constructor(link: string, language = 'en-GB,en;q=0.9') {
    this.#link = link;
    this.#language = language;
  }

  open(): Promise<this> {
    return this.#send({ method: 'GET' });
  }

  /** Submits a form of the page. If `csrf` is not given, the page's own token is sent. */
  submit(step: string, fields: Record<string, string> = {}, csrf = this.csrf): Promise<this> {
    const body = new URLSearchParams({ step, csrf, ...fields });
    return this.#send({ method: 'POST', body });
  }

  /** Submits names and values that are already percent-encoded. A test can submit texts that no browser would send. */
  submitRaw(form: string, csrf = this.csrf): Promise<this> {
    const body = new Blob([`csrf=${csrf}&${form}`], { type: 'application/x-www-form-urlencoded' });
    return this.#send({ method: 'POST', body });
  }

  get csrf(): string {
    return /name="csrf" value="([^"]*)"/.exec(this.page)?.[1] ?? '';
  }

  /** The page's text without HTML tags. */
  get text(): string {
    return this.page
      .replaceAll(/<head>[\s\S]*<\/head>|<[^>]+>/g, ' ')
      .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      .replaceAll(/\s+/g, ' ')
      .trim();
  }

  async #send(init: RequestInit): Promise<this> {
    const response = await fetch(this.#link, {
      ...init,
      redirect: 'manual',
      headers: {
        'accept-language': this.#language,
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
      },
    });
    this.headers = response.headers;
    this.status = response.status;
    this.page = await response.text();
    const cookie = response.headers.get('set-cookie');
    if (cookie) this.cookie = cookie.split(';')[0];
    return response.status === 303 ? this.open() : this;
  }
}
