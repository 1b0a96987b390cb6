import { setTimeout as sleep } from 'node:timers/promises';

/** The fields of a payment's result that this POS reads. */
export interface PaymentResult {
  identifier: string;
  response: { result: 'success' | 'failure'; errorCondition?: string };
  paymentResult?: { amountsResp?: { tipAmount?: number } };
}

/** The data that a payment request for a sale needs. */
export interface SaleToPay {
  id: string;
  key: string;
  amount: number;
  asksForTip?: boolean;
}

/** The payments service refused the request. It made no payment, and would refuse the same request again. */
export class PaymentRefusedError extends Error {}

/**
 * The service gave no answer, or an answer without an outcome. Whether the customer has paid is unknown. The POS has to
 * ask again later.
 */
export class OutcomeUnknownError extends Error {}

export interface PaymentsClientOptions {
  url: string;
  token: string;
  terminalId: string;
  /** Waits between two tries. `ms` is in milliseconds. Tests give a function that waits on a virtual clock. */
  wait?: (ms: number) => Promise<unknown>;
}

/** The service can take 190 seconds to answer a payment request, and 40 seconds to answer any other request. */
const paymentTimeoutMs = 200_000;
const askTimeoutMs = 45_000;
/** The wait before each further try, in milliseconds. After the last try, the outcome counts as unknown. */
const retryAfterMs = [500, 1_000, 2_000, 5_000, 10_000];

type Ask = () => Promise<Response>;

interface Refusal {
  status: number;
  message: string;
  firstTry: boolean;
}

/**
 * Calls the payments API so that no payment is made twice, even if an answer is lost: the POS stores a key for each
 * payment before it sends the payment.
 */
export class PaymentsClient {
  #service: PaymentsClientOptions;
  #wait: (ms: number) => Promise<unknown>;

  constructor(service: PaymentsClientOptions) {
    this.#service = service;
    this.#wait = service.wait ?? sleep;
  }

  /**
   * Takes a payment and resolves when the outcome is known. If an answer is lost, sends the same request again. Because
   * both requests have the same key, the service makes only one payment.
   *
   * @throws PaymentRefusedError, OutcomeUnknownError
   */
  pay(sale: SaleToPay): Promise<PaymentResult> {
    const send = () => this.#sendPayment(sale);
    return this.#outcome(sale.key, send, verdictOnSending);
  }

  /**
   * Finds out the outcome of a payment that the POS may have sent before it crashed. If the service does not know the
   * payment, the request may still be on its way. So this method sends the payment again with the same key and aborts
   * it. If the first request arrives later, the service answers with the aborted payment, because the key is the same.
   *
   * @throws PaymentRefusedError, OutcomeUnknownError
   */
  async recover(sale: SaleToPay): Promise<PaymentResult> {
    const notKnown = new Error('the service does not know the payment');
    const ask = () => this.#status(sale.key);
    try {
      return await this.#outcome(sale.key, ask, ({ status }) => (status === 404 ? notKnown : undefined));
    } catch (error) {
      if (error !== notKnown) throw error;
      return this.#close(sale);
    }
  }

  /**
   * Sends a payment, aborts it, and finds out how it ended. After that, a late request with the same key can charge
   * nobody.
   */
  #close(sale: SaleToPay): Promise<PaymentResult> {
    let aborted = false;
    const send = async () => {
      const accepted = await this.#sendPayment(sale, { prefer: 'respond-async' });
      if (accepted.status === 202 && !aborted) {
        await this.abort(sale.key);
        aborted = true;
      }
      return accepted;
    };
    return this.#outcome(sale.key, send, verdictOnSending);
  }

  #sendPayment(sale: SaleToPay, headers: Record<string, string> = {}): Promise<Response> {
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

  /**
   * Asks the service to abort a payment. Only the payment's outcome shows whether the abort came in time.
   *
   * @throws OutcomeUnknownError if the service still does not know the payment after all tries
   */
  async abort(key: string): Promise<void> {
    for (const pauseMs of [0, ...retryAfterMs]) {
      await this.#wait(pauseMs);
      const body = { idempotencyKey: key };
      const response = await this.#send('POST', '/payment-requests/abort', { body, timeoutMs: askTimeoutMs });
      await response.body?.cancel();
      // 404: the abort overtook the payment, so the POS asks again. 504: the terminal is offline, and gets the abort
      // when it is back.
      if (response.status === 404) continue;
      if (response.ok || response.status === 504) return;
      throw new Error(`the abort was answered with ${response.status}`);
    }
    throw new OutcomeUnknownError('the payments service does not know the payment that it should abort');
  }

  /**
   * Sends the request `first` until there is an answer. After a 303 or 202, asks for the status until the outcome is
   * known. After a refusal, `verdict` decides what happens: if it returns an error, this method throws the error; if it
   * returns undefined, this method asks again.
   */
  async #outcome(
    key: string,
    first: Ask,
    verdict: (refusal: Refusal) => Error | undefined,
  ): Promise<PaymentResult> {
    let ask = first;
    let failures = 0;
    for (let firstTry = true; ; firstTry = false) {
      const response = await ask().catch(() => undefined);
      if (response?.status === 200) {
        const result = await response.json().catch(() => undefined);
        if (result) return result as PaymentResult;
        // The body was cut or took too long, so this answer counts as lost.
      }
      if (response?.status === 202 || response?.status === 303) {
        // The payment has not ended. Location says where to ask for the status, and Retry-After says when. The service
        // delays the answer about the status until something changes.
        await response.body?.cancel();
        await this.#wait(retryAfterOf(response));
        const location = response.headers.get('location');
        ask = () => (location ? this.#send('GET', location, { timeoutMs: askTimeoutMs }) : this.#status(key));
        continue;
      }
      const { message = '' } = ((await response?.json().catch(() => undefined)) ?? {}) as {
        message?: string;
      };
      const refused = response && response.status >= 400 && response.status < 500 && response.status !== 429;
      const end = refused && verdict({ status: response.status, message, firstTry });
      if (end) throw end;
      // After a lost answer, a 5xx or a 429, the same request is sent again. This is safe even for a payment request,
      // because its key is the same.
      const pauseMs = retryAfterMs[failures++];
      if (pauseMs === undefined)
        throw new OutcomeUnknownError(message || 'the payments service does not answer');
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
    // Only the path of the address is used, so that the token is sent only to the service.
    const { pathname, search } = new URL(path, this.#service.url);
    return fetch(new URL(pathname + search, this.#service.url), {
      method,
      redirect: 'manual', // after a 303, this class itself has to ask again later
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

/**
 * Stops asking only if the first try was refused. If an earlier answer was lost, the service may have begun a payment,
 * and the refusal of a later try does not say what became of that payment.
 */
function verdictOnSending({ firstTry, message }: Refusal): Error | undefined {
  return firstTry ? new PaymentRefusedError(message) : undefined;
}

/**
 * Returns the wait that an answer asks for, in milliseconds. The service sends a number of seconds. A proxy may send a
 * date, which counts as 0.
 */
function retryAfterOf({ headers }: Response): number {
  return (Number(headers.get('retry-after')) || 0) * 1000;
}
