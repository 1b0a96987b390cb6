import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { adyenApi } from './adyen-api.ts';
import type { ReversiblePayments } from './giving-back.ts';
import { type HttpAnswer, httpRequest, NoAnswer } from './http-request.ts';
import { nativeApi } from './native-api.ts';
import type { GiveBackMethod, PosApi, PosPayment, PosRequestKind } from './pos-api.ts';
import type { World } from './world.ts';

export interface PosOptions {
  name: string;
  /**
   * The terminal of this point of sale. A point of sale without a terminal of its own uses any terminal, so
   * sometimes two points of sale want the same one.
   */
  own: string | undefined;
  /**
   * The till's name, if it differs from `name`. Several points of sale may use one till name, each at a terminal of its
   * own.
   */
  till?: string;
  /**
   * The APIs that the point of sale uses. It draws one of them for each payment. An API that is listed twice is drawn
   * twice as often as the others.
   */
  apis?: readonly PosApi[];
  /** The payments of all points of sale. If the API has reversals, the point of sale also reverses some of them. */
  paid?: ReversiblePayments;
}

/** The fields of a payment that are known before it is sent. */
type Asked = 'api' | 'key' | 'pos' | 'till' | 'serviceId' | 'terminalId' | 'poiId' | 'amount' | 'asksTip';

/** How a POS behaves during a payment. Most of the time it is patient. */
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
 * Plays a point of sale that recovers as the documentation says. It uses one key per payment and follows a 303. After a
 * broken connection it asks for the status or repeats the request, until it knows the outcome. If the terminal has no
 * link, it repeats the request or gives up.
 */
export class Pos {
  readonly payments: PosPayment[] = [];
  #world: World;
  #random: Random;
  readonly #options: PosOptions;

  constructor(world: World, random: Random, options: PosOptions) {
    this.#world = world;
    this.#random = random;
    this.#options = options;
  }

  /** Takes payments and gives some of them back, one after another. After the time `untilMs` it begins no payment. */
  async work(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      const payment = this.#newPayment();
      const { gives } = payment;
      // Sometimes a second till gives back money of the same payment at the same time.
      const beside = gives?.kind === 'reversal' && this.#random.int(3) === 0 ? [this.#beside(gives)] : [];
      await Promise.all([payment, ...beside].map((each) => this.#pay(each)));
      await delay(systemClock, this.#random.int(60));
    }
  }

  #newPayment(): PosPayment {
    const random = this.#random;
    const { name, own, till = name, apis = [nativeApi] } = this.#options;
    const { terminals } = this.#world;
    // amounts that end in 23 to 27 are declined
    const ending = random.int(5) === 0 ? 23 + random.int(5) : random.int(20);
    const terminalId = own ?? terminals[random.int(terminals.length)]?.identifier ?? '';
    const api = apis[random.int(apis.length)] ?? nativeApi;
    const gives = this.#givesBack(api);
    return this.#begun({
      api,
      key: `${name}-${this.payments.length}`,
      pos: name,
      till,
      serviceId: String(this.payments.length),
      terminalId,
      poiId: terminals.find(({ identifier }) => identifier === terminalId)?.poiId ?? '',
      amount: amountOf(gives, 100 * (10 * random.int(9) + 1) + ending),
      asksTip: random.int(3) === 0,
      ...(gives && { gives }),
    });
  }

  /**
   * Decides how a request gives money back, or returns undefined for a payment. In an API with reversals, a quarter of
   * the requests give money back.
   */
  #givesBack(api: PosApi): GiveBackMethod | undefined {
    const { paid } = this.#options;
    if (!paid || api === nativeApi) return undefined;
    const pick = this.#random.int(20);
    if (pick < 2) return { kind: 'refund' };
    return pick < 8 ? paid.reversal(this.#random) : undefined;
  }

  /** Returns a reversal of the same payment, which another till requests at any terminal. */
  #beside(gives: GiveBackMethod): PosPayment {
    const { terminals } = this.#world;
    const { identifier: terminalId = '', poiId = '' } = terminals[this.#random.int(terminals.length)] ?? {};
    const name = `${this.#options.name}-beside`;
    const serviceId = String(this.payments.length);
    const whole = this.#random.int(2) === 0;
    const also = gives.kind === 'reversal' ? { ...gives, whole } : gives;
    const of = { api: adyenApi, key: `${name}-${serviceId}`, pos: name, till: name, serviceId };
    return this.#begun({ ...of, terminalId, poiId, amount: amountOf(also, 0), asksTip: false, gives: also });
  }

  #begun(payment: Pick<PosPayment, Asked> & { gives?: GiveBackMethod }): PosPayment {
    const nothingYet = { sent: 0, unlinked: 0, tooMuch: 0, answers: [], complaints: [] };
    const begun = { ...payment, begunAt: Date.now(), ...nothingYet };
    this.payments.push(begun);
    return begun;
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
    let next: PosRequestKind | undefined = await this.#ask(payment, 'send', first);
    while (next) next = await this.#ask(payment, next);
  }

  /**
   * Sends one request about the payment. Returns the kind of the next request, or undefined if no further request is
   * needed.
   */
  async #ask(
    payment: PosPayment,
    question: PosRequestKind,
    options: { hangUpAfterMs?: number } = {},
  ): Promise<PosRequestKind | undefined> {
    const startedAt = Date.now();
    const { hangUpAfterMs } = options;
    try {
      const { path, ...request } = payment.api.request(payment, question, this.#world.token);
      if (question === 'send') payment.sent++;
      const answer = await httpRequest(this.#world.url + path, {
        ...request,
        ...(hangUpAfterMs === undefined ? {} : { signal: AbortSignal.timeout(hangUpAfterMs) }),
        timeoutMs: this.#world.answerLimitMs,
      });
      const next = this.#understand(payment, question, answer);
      if (next && payment.api.tellsAtOnce) await this.#moment();
      return next;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      const mayBeCut = hangUpAfterMs !== undefined || this.#world.gatewayWasDownSince(startedAt);
      if (error.timedOut || !mayBeCut)
        payment.complaints.push(`${question}: ${error.message} after ${Date.now() - startedAt} ms`);
      await this.#moment();
      return error.timedOut || this.#random.int(2) === 0 ? 'status' : 'send';
    }
  }

  #understand(payment: PosPayment, question: PosRequestKind, answer: HttpAnswer): PosRequestKind | undefined {
    const { status, text } = answer;
    const said = payment.api.understand(question, answer);
    switch (said.is) {
      case 'outcome':
        payment.answers.push(said.outcome);
        this.#options.paid?.add(payment, said.outcome);
        return undefined;
      case 'tooMuch':
        payment.tooMuch++;
        return this.#random.int(4) === 0 ? 'send' : undefined;
      case 'unlinked':
        payment.unlinked++;
        return this.#random.int(2) === 0 ? 'send' : undefined;
      case 'unknown':
        return 'send'; // the first request never arrived
      case 'open':
        return 'status';
      case 'wrong':
        payment.complaints.push(`${question} answered ${status}: ${text}`);
        return undefined;
      case 'done':
        return undefined;
    }
  }

  #moment(): Promise<void> {
    return delay(systemClock, 20 + this.#random.int(30));
  }
}

/**
 * Returns the amount of a request. A reversal asks for the whole payment or for more than half of it, so two reversals
 * together ask for too much.
 */
function amountOf(gives: GiveBackMethod | undefined, amount: number): number {
  if (gives?.kind !== 'reversal') return amount;
  return gives.whole ? gives.taken : Math.ceil(gives.taken * 0.6);
}
