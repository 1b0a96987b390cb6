/** What a payment came to: specification §2.3, as far as this till looks at it. */
export interface PaymentResult {
  identifier: string;
  response: { result: 'success' | 'failure'; errorCondition?: string };
  paymentResult?: { amountsResp?: { tipAmount?: number } };
}

/** The service refused the request itself: nothing was or will be paid, and trying again changes nothing. */
export class PaymentRefused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface PaymentsService {
  url: string;
  token: string;
  terminalId: string;
}

/** Talks to the payments API the way that survives a lost answer: every payment has a key, decided beforehand. */
export class PaymentsClient {
  #service: PaymentsService;

  constructor(service: PaymentsService) {
    this.#service = service;
  }

  /**
   * Takes a payment and comes back when its outcome is known. The same key and amount may be sent again at any
   * time: there is only ever one payment.
   */
  async pay(key: string, amount: number): Promise<PaymentResult> {
    const body = { paymentTransaction: { amountsReq: { requestedAmount: amount } } };
    const path = `/terminals/${this.#service.terminalId}/payment-request`;
    return this.#concluded(key, () => this.#send('POST', path, body, { 'idempotency-key': key }));
  }

  /** The outcome of a payment that was sent before, when it is there; undefined where nothing was ever sent. */
  async outcome(key: string): Promise<PaymentResult | undefined> {
    try {
      return await this.#concluded(key, () => this.#status(key));
    } catch (error) {
      if (error instanceof PaymentRefused && error.code === 'notFound') return undefined;
      throw error;
    }
  }

  /** Asks for the end of a payment. Whether it was in time, only its outcome tells. */
  async abort(key: string): Promise<void> {
    await this.#send('POST', '/payment-requests/abort', { idempotencyKey: key });
  }

  /** Asks until the outcome is known: after 303 and 202 it goes on, after a broken connection too. */
  async #concluded(key: string, first: () => Promise<Response>): Promise<PaymentResult> {
    let ask = first;
    for (let broken = 0; broken < 5; ) {
      try {
        const response = await ask();
        if (response.status === 200) return (await response.json()) as PaymentResult;
        await response.arrayBuffer();
      } catch (error) {
        // The answer is lost, the payment perhaps not: sending `first` again is safe, its key says it is the same.
        if (error instanceof PaymentRefused) throw error;
        broken++;
        ask = first;
        continue;
      }
      ask = () => this.#status(key);
    }
    throw new Error('the payments service does not answer; the outcome is not known');
  }

  #status(key: string): Promise<Response> {
    return this.#send('GET', `/payment-requests/status?idempotencyKey=${encodeURIComponent(key)}`);
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(new URL(path, this.#service.url), {
      method,
      redirect: 'manual', // a followed redirect would throw the identifier away (specification §4.2)
      signal: AbortSignal.timeout(200_000), // the service may take 190 s (specification §8)
      headers: {
        authorization: `Bearer ${this.#service.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status < 400) return response;
    const { error, message } = (await response.json()) as { error: string; message: string };
    if (response.status >= 500 && response.status !== 501) throw new Error(message);
    throw new PaymentRefused(error, message);
  }
}
