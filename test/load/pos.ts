import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { type HttpAnswer, httpRequest, NoAnswer } from './http-request.ts';
import type { Loaded } from './loaded.ts';

/** One payment as the point of sale knows it. */
export interface PosPayment {
  key: string;
  terminalId: string;
  /** Requested, minor units. */
  amount: number;
  body: string;
  /** Every IPPTransactionResult it received, unchanged. */
  answers: string[];
  /** What a POS must never see. */
  complaints: string[];
}

/** How a POS treats one payment; most are treated well. */
type ClientBehaviour = 'patient' | 'joins' | 'hangsUp' | 'aborts' | 'abandons';
const clientBehaviours: ClientBehaviour[] = [
  ...Array<ClientBehaviour>(12).fill('patient'),
  'joins',
  'joins',
  'hangsUp',
  'aborts',
  'abandons',
];

/**
 * A point of sale that recovers as the documentation says: one key per payment, a 303 is followed, and after a broken
 * connection it asks for the status or sends the same request again, until it knows.
 */
export class Pos {
  readonly payments: PosPayment[] = [];
  #world: Loaded;
  #random: Random;
  #name: string;
  #own: string | undefined;

  /** @param own the terminal it works with; without one it takes any, so that now and then two want the same. */
  constructor(world: Loaded, random: Random, name: string, own: string | undefined) {
    this.#world = world;
    this.#random = random;
    this.#name = name;
    this.#own = own;
  }

  /** Takes payments one after another, and starts none once `untilMs` is over. */
  async work(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      await this.#pay(this.#newPayment());
      await delay(systemClock, this.#random.int(60));
    }
  }

  #newPayment(): PosPayment {
    const random = this.#random;
    const ending = random.int(5) === 0 ? 23 + random.int(5) : random.int(20); // 123 to 127 decline
    const amount = 100 * (10 * random.int(9) + 1) + ending;
    const terminals = this.#world.terminals;
    const payment: PosPayment = {
      key: `${this.#name}-${this.payments.length}`,
      terminalId: this.#own ?? terminals[random.int(terminals.length)]?.identifier ?? '',
      amount,
      body: JSON.stringify({
        paymentTransaction: { amountsReq: { requestedAmount: amount / 100 } },
        saleData: { saleReferenceId: this.#name },
        gratuity: { enabled: random.int(3) === 0 },
      }),
      answers: [],
      complaints: [],
    };
    this.payments.push(payment);
    return payment;
  }

  async #pay(payment: PosPayment): Promise<void> {
    const manner = clientBehaviours[this.#random.int(clientBehaviours.length)] ?? 'patient';
    const whileItRuns = this.#interfere(payment, manner);
    if (manner === 'abandons') await this.#ask(payment, 'send', { hangUpAfterMs: this.#random.int(40) });
    else await this.#untilKnown(payment, manner === 'hangsUp' ? { hangUpAfterMs: this.#random.int(40) } : {});
    await whileItRuns;
  }

  async #interfere(payment: PosPayment, manner: ClientBehaviour): Promise<void> {
    if (manner !== 'joins' && manner !== 'aborts') return;
    await delay(systemClock, this.#random.int(25));
    if (manner === 'joins') await this.#ask(payment, 'send');
    else await this.#ask(payment, 'abort');
  }

  async #untilKnown(payment: PosPayment, first: { hangUpAfterMs?: number }): Promise<void> {
    let next: Question | undefined = await this.#ask(payment, 'send', first);
    while (next) next = await this.#ask(payment, next);
  }

  /** Asks once; gives what to ask next, or undefined once the outcome is known. */
  async #ask(
    payment: PosPayment,
    question: Question,
    options: { hangUpAfterMs?: number } = {},
  ): Promise<Question | undefined> {
    const startedAt = Date.now();
    const { hangUpAfterMs } = options;
    try {
      const answer = await httpRequest(this.#world.url + pathOf(payment, question), {
        method: question === 'status' ? 'GET' : 'POST',
        headers: this.#headers(payment, question),
        ...(question === 'send' ? { body: payment.body } : {}),
        ...(question === 'abort' ? { body: JSON.stringify({ idempotencyKey: payment.key }) } : {}),
        ...(hangUpAfterMs === undefined ? {} : { signal: AbortSignal.timeout(hangUpAfterMs) }),
        timeoutMs: this.#world.answerLimitMs,
      });
      return this.#understand(payment, question, answer);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      const mayBeCut = hangUpAfterMs !== undefined || this.#world.gatewayWasDownSince(startedAt);
      if (error.timedOut || !mayBeCut)
        payment.complaints.push(`${question}: ${error.message} after ${Date.now() - startedAt} ms`);
      await delay(systemClock, 20 + this.#random.int(30));
      return error.timedOut || this.#random.int(2) === 0 ? 'status' : 'send';
    }
  }

  #understand(payment: PosPayment, question: Question, answer: HttpAnswer): Question | undefined {
    const { status, text } = answer;
    if (question === 'abort') {
      if (![204, 404, 504, 503].includes(status))
        payment.complaints.push(`abort answered ${status}: ${text}`);
      return undefined;
    }
    if (status === 200) {
      payment.answers.push(text);
      return undefined;
    }
    if (status === 404 && question === 'status') return 'send'; // it never arrived
    if (![202, 303, 503].includes(status)) {
      payment.complaints.push(`${question} answered ${status}: ${text}`);
      return undefined;
    }
    return 'status';
  }

  #headers(payment: PosPayment, question: Question): Record<string, string> {
    return {
      authorization: `Bearer ${this.#world.token}`,
      ...(question === 'status' ? {} : { 'content-type': 'application/json' }),
      ...(question === 'send' ? { 'idempotency-key': payment.key } : {}),
    };
  }
}

type Question = 'send' | 'status' | 'abort';

function pathOf(payment: PosPayment, question: Question): string {
  if (question === 'send') return `/terminals/${payment.terminalId}/payment-request`;
  if (question === 'abort') return '/payment-requests/abort';
  return `/payment-requests/status?idempotencyKey=${payment.key}`;
}
