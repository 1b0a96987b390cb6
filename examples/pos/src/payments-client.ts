import { setTimeout as sleep } from 'node:timers/promises';

/** What a payment came to, as far as this POS looks at it. */
export interface PaymentResult {
  identifier: string;
  response: { result: 'success' | 'failure'; errorCondition?: string };
  paymentResult?: { amountsResp?: { tipAmount?: number } };
}

/** What a payment of a sale is made of. */
export interface PaidSale {
  id: string;
  key: string;
  amount: number;
  asksForTip?: boolean;
}

/** The service refused the request: no payment was made, and sending the same again changes nothing. */
export class PaymentRefused extends Error {}

/** No answer, or no useful one: whether the customer has paid is unknown. Ask again later. */
export class OutcomeUnknown extends Error {}

export interface PaymentsAddress {
  url: string;
  token: string;
  terminalId: string;
  /** Waits between two tries; milliseconds. Tests hand in time that moves faster. */
  wait?: (ms: number) => Promise<unknown>;
}

/** The service may take 190 seconds to answer a payment request, and 40 to answer anything else. */
const paymentTimeoutMs = 200_000;
const askTimeoutMs = 45_000;
/** Before each further try, in milliseconds. Then the outcome is unknown for the moment. */
const retryAfterMs = [500, 1_000, 2_000, 5_000, 10_000];

type Ask = () => Promise<Response>;

interface Refusal {
  status: number;
  message: string;
  firstTry: boolean;
}

/** Talks to the payments API the way that survives a lost answer: every payment has a key, decided beforehand. */
export class PaymentsClient {
  #service: PaymentsAddress;
  #wait: (ms: number) => Promise<unknown>;

  constructor(service: PaymentsAddress) {
    this.#service = service;
    this.#wait = service.wait ?? sleep;
  }

  /**
   * Takes a payment and comes back when its outcome is known. Where an answer is lost the same request is sent
   * again: its key says that it is the same payment, so there is only ever one.
   *
   * @throws PaymentRefused, OutcomeUnknown
   */
  pay(sale: PaidSale): Promise<PaymentResult> {
    const send = () => this.#sendPayment(sale);
    // After a lost answer a payment may be under way, and a refusal of the next try says nothing about it.
    return this.#outcome(sale.key, send, ({ firstTry, message }) =>
      firstTry ? new PaymentRefused(message) : undefined,
    );
  }

  /**
   * The outcome of a payment that was perhaps sent before, by a POS that has crashed since. If the service does not
   * know it, that proves nothing: the request may still be on its way. So the payment is sent again with its key and
   * aborted: whichever copy comes first, the key is used, and a late one finds the payment ended.
   *
   * @throws PaymentRefused, OutcomeUnknown
   */
  async recover(sale: PaidSale): Promise<PaymentResult> {
    const notKnown = new Error('the service does not know the payment');
    const ask = () => this.#status(sale.key);
    try {
      return await this.#outcome(sale.key, ask, ({ status }) => (status === 404 ? notKnown : undefined));
    } catch (error) {
      if (error !== notKnown) throw error;
      return this.#close(sale);
    }
  }

  /** Uses a payment's key up, so that nobody is charged: sends the payment, aborts it, and finds out how it ended. */
  #close(sale: PaidSale): Promise<PaymentResult> {
    let aborted = false;
    const send = async () => {
      const accepted = await this.#sendPayment(sale, { prefer: 'respond-async' });
      if (accepted.status === 202 && !aborted) {
        await this.abort(sale.key);
        aborted = true;
      }
      return accepted;
    };
    return this.#outcome(sale.key, send, ({ firstTry, message }) =>
      firstTry ? new PaymentRefused(message) : undefined,
    );
  }

  #sendPayment(sale: PaidSale, headers: Record<string, string> = {}): Promise<Response> {
    const path = `/terminals/${this.#service.terminalId}/payment-request`;
    const body = {
      paymentTransaction: { amountsReq: { requestedAmount: sale.amount } },
      saleData: { saleReferenceId: sale.id },
      ...(sale.asksForTip && { gratuity: { enabled: true } }),
    };
    const timeoutMs = paymentTimeoutMs;
    return this.#send('POST', path, {
      body,
      headers: { ...headers, 'idempotency-key': sale.key },
      timeoutMs,
    });
  }

  /** Asks for the end of a payment. Whether that came in time, only its outcome shows. */
  async abort(key: string): Promise<void> {
    for (const pauseMs of [0, ...retryAfterMs]) {
      await this.#wait(pauseMs);
      const body = { idempotencyKey: key };
      const response = await this.#send('POST', '/payment-requests/abort', { body, timeoutMs: askTimeoutMs });
      await response.body?.cancel();
      if (response.status === 404) continue; // overtook the payment: ask again
      if (response.ok || response.status === 504) return; // 504: the terminal is offline, and receives it when it is back
      throw new Error(`the abort was answered with ${response.status}`);
    }
  }

  /** Sends `first` until there is an answer, and follows 303 and 202 to the outcome. */
  async #outcome(
    key: string,
    first: Ask,
    verdict: (refusal: Refusal) => Error | undefined,
  ): Promise<PaymentResult> {
    let ask = first;
    let failures = 0;
    for (let firstTry = true; ; firstTry = false) {
      const response = await ask().catch(() => undefined);
      if (response?.status === 200) return (await response.json()) as PaymentResult;
      if (response?.status === 202 || response?.status === 303) {
        // Still going on. Location says where to ask, Retry-After when; the status is held until there is news.
        await response.body?.cancel();
        await this.#wait(retryAfterOf(response));
        const location = response.headers.get('location');
        ask = () => (location ? this.#send('GET', location, { timeoutMs: askTimeoutMs }) : this.#status(key));
        continue;
      }
      const { message = '' } = ((await response?.json().catch(() => undefined)) ?? {}) as {
        message?: string;
      };
      const refused = response && response.status < 500 && response.status !== 429;
      const end = refused && verdict({ status: response.status, message, firstTry });
      if (end) throw end;
      // A lost answer, a 5xx, a 429: the same question once more. Where that is the payment, its key makes it safe.
      const pauseMs = retryAfterMs[failures++];
      if (pauseMs === undefined) throw new OutcomeUnknown(message || 'the payments service does not answer');
      await this.#wait(Math.max(pauseMs, response ? retryAfterOf(response) : 0));
    }
  }

  #status(key: string): Promise<Response> {
    const query = new URLSearchParams({ idempotencyKey: key });
    return this.#send('GET', `/payment-requests/status?${query}`, { timeoutMs: askTimeoutMs });
  }

  #send(
    method: string,
    path: string,
    { body, headers, timeoutMs }: { body?: unknown; headers?: Record<string, string>; timeoutMs: number },
  ): Promise<Response> {
    const { pathname, search } = new URL(path, this.#service.url); // the token goes nowhere else
    return fetch(new URL(pathname + search, this.#service.url), {
      method,
      redirect: 'manual', // following the redirect would hide that the payment is still running
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${this.#service.token}`,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

function retryAfterOf({ headers }: Response): number {
  return Number(headers.get('retry-after') ?? 0) * 1000;
}
