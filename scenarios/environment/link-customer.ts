import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** A page in the form in which the customer sees it. */
interface ReadPage {
  readonly status: number;
  readonly title: string;
  /** The text that the customer can read, without mark-up. */
  readonly text: string;
}

/** The account to which the money of a link goes: an IBAN, or the parts of a US or Canadian account. */
interface BankDetails {
  iban?: string;
  routing?: string;
  transit?: string;
  institution?: string;
  account?: string;
}

/**
 * A customer at a payment link. The customer's browser runs no scripts, keeps the gateway's cookie, and sends the
 * forms that the page shows.
 */
export class LinkCustomer {
  #context: ScenarioContext;
  #link: string | undefined;
  #cookie: string | undefined;
  #html = '';
  #status = 0;

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /**
   * The page that the customer sees.
   *
   * @throws ScenarioError if no link was opened
   */
  get page(): ReadPage {
    if (this.#link === undefined) throw new ScenarioError('the customer has not opened a link');
    const [, title = ''] = /<title>([\s\S]*?)<\/title>/.exec(this.#html) ?? [];
    const body = this.#html.replaceAll(/<head>[\s\S]*<\/head>|<[^>]+>/g, ' ');
    return { status: this.#status, title: readable(title), text: readable(body) };
  }

  /**
   * Opens a link as a first-time visitor. The link is in the answer to `pinpad.pos.credit`.
   *
   * @throws ScenarioError if the gateway does not answer
   *
   * @example
   * const party = { contact_id: 'customer', from_bank_account: 'shop-account' };
   * const credit = await pinpad.pos.credit({ ...party, amount: 25.5, statement: 'BACK' });
   * await pinpad.customer.open((credit.answer?.body as { link: string }).link);
   * console.log(pinpad.customer.page.text);
   */
  async open(link: string): Promise<void> {
    this.#link = link;
    this.#cookie = undefined;
    await this.#load('GET');
  }

  /**
   * Answers the security question.
   *
   * @throws ScenarioError if no link was opened, or if the page does not ask the question
   *
   * @example
   * await pinpad.customer.answer('At the market');
   */
  answer(answer: string): Promise<void> {
    return this.#submit('answer', 'a question', { answer });
  }

  /**
   * Enters the account for the money: an IBAN, or the numbers of an account in the US or in Canada.
   *
   * @throws ScenarioError if no link was opened, or if the page does not ask for bank details
   *
   * @example
   * await pinpad.customer.bankDetails({ iban: 'DE89370400440532013000' });
   */
  bankDetails(details: BankDetails): Promise<void> {
    const kind = details.routing === undefined ? (details.transit === undefined ? 'iban' : 'ca') : 'us';
    const fields = Object.entries(details).filter(([, value]) => value !== undefined);
    return this.#submit('bank', 'bank details to enter', { kind, ...Object.fromEntries(fields) });
  }

  /**
   * Accepts the payment.
   *
   * @throws ScenarioError if no link was opened, or if the page does not offer a payment
   *
   * @example
   * await pinpad.customer.accept();
   */
  accept(): Promise<void> {
    return this.#submit('accept', 'a payment to accept', {});
  }

  async #submit(step: string, what: string, fields: Record<string, string>): Promise<void> {
    const { text } = this.page;
    const form = new RegExp(`name="step" value="${step}"><input type="hidden" name="csrf" value="([^"]*)"`);
    const csrf = form.exec(this.#html)?.[1];
    if (csrf === undefined) throw new ScenarioError(`the page does not have ${what}; it shows: ${text}`);
    await this.#load('POST', new URLSearchParams({ step, csrf, ...fields }).toString());
  }

  async #load(method: 'GET' | 'POST', form?: string): Promise<void> {
    const { status, headers, body } = await this.#context.ask({
      method,
      path: this.#link ?? '',
      headers: {
        'accept-language': 'en',
        ...(this.#cookie === undefined ? {} : { cookie: this.#cookie }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form,
    });
    this.#cookie = headers['set-cookie']?.split(';')[0] ?? this.#cookie;
    if (status === 303) return this.#load('GET');
    this.#status = status;
    this.#html = String(body ?? '');
  }
}

function readable(markup: string): string {
  return markup
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .trim();
}
