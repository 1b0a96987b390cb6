import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { configuredBankAccountId, configuredContactId, savedCards, securityAnswer } from './configuration.ts';
import { callControl } from './control.ts';
import { type HttpAnswer, httpRequest, NoAnswer } from './http-request.ts';
import { type VisitEnd, visitPaymentLink } from './payment-link-customer.ts';
import type { World } from './world.ts';

export type CreationKind = 'charge' | 'preauthorize' | 'refund' | 'credit';

/** One request that creates a resource. The text in `mark` shows later which resource the request created. */
export interface CreationRequest {
  kind: CreationKind;
  /** The statement of a debit or credit, or the reason_details of a refund. */
  mark: string;
  /** The amount in minor units. */
  amount: number;
  /** The debit to refund; only in the request of a refund. */
  debitId?: string;
  /** The status of the answer, or undefined if no answer came. */
  status: number | undefined;
  /** The identifier of the created resource, from the answer. */
  id?: string;
}

/** A request about an existing resource and the status of its answer; the status is undefined if no answer came. */
export interface FollowUpRequest {
  what: 'capture' | 'expire' | 'fail' | 'visit';
  /** The identifier of the debit, refund or credit. */
  of: string;
  status: number | undefined;
  visitEnd?: VisitEnd;
  accepted?: boolean;
  refused?: boolean;
}

interface Body {
  debit_id?: string;
  id?: string;
  identifier?: string;
  link?: string;
  refunds?: { reason_details?: string }[];
}

/**
 * Plays a merchant's back office. It charges, authorizes, captures and refunds. It also sends payment links, and
 * customers use these links. The operations have no idempotency key, so the back office does not repeat a request
 * without an answer. The only exception is a refund that cannot be found afterwards (B84).
 */
export class BackOffice {
  readonly orders: CreationRequest[] = [];
  readonly actions: FollowUpRequest[] = [];
  /** The answers that must never be sent to a client, but were. */
  readonly complaints: string[] = [];
  #world: World;
  #random: Random;
  #name: string;
  #paid: { id: string; amount: number }[] = [];

  constructor(world: World, random: Random, name: string) {
    this.#world = world;
    this.#random = random;
    this.#name = name;
  }

  /** Does one task after another, and begins none after the time `untilMs`. */
  async work(untilMs: number): Promise<void> {
    const acts = [
      ...Array(4).fill(() => this.#charge()),
      ...Array(5).fill(() => this.#authorizeAndCapture()),
      ...Array(8).fill(() => this.#refundSomething()),
      ...Array(2).fill(() => this.#sendLink()),
      () => this.#block(),
    ] as (() => Promise<void>)[];
    while (Date.now() < untilMs) {
      if (this.#world.reachable) await acts[this.#random.int(acts.length)]?.();
      await delay(systemClock, this.#random.int(20));
    }
  }

  #charge(): Promise<CreationRequest> {
    return this.#debit('charge');
  }

  async #debit(kind: 'charge' | 'preauthorize'): Promise<CreationRequest> {
    const cards = kind === 'charge' ? savedCards.charged : savedCards.authorized;
    const card = cards[this.#random.int(cards.length)];
    const order = this.#order(kind, 50 * (1 + this.#random.int(200)));
    const body = {
      ...this.#money(order),
      to_bank_account_id: configuredBankAccountId,
      statement: order.mark,
    };
    const answer = await this.#send(
      order,
      'POST',
      `/contact/${configuredContactId}/creditCards/${card}/${kind}`,
      body,
      [200, 402],
    );
    order.id = bodyOf(answer).debit_id;
    if (kind === 'charge' && answer?.status === 200) this.#remember(order);
    return order;
  }

  async #authorizeAndCapture(): Promise<void> {
    const order = await this.#debit('preauthorize');
    if (order.status !== 200) return;
    await delay(systemClock, this.#random.int(10));
    const pick = this.#random.int(8);
    if (pick === 0) return; // this debit is never captured
    const captures = [this.#capture(order)];
    if (pick === 1) captures.push(this.#capture(order));
    if (pick === 2)
      captures.push(this.#operate('expire', order.id ?? '', `/control/debits/${order.id}/expire`));
    if ((await Promise.all(captures)).some(({ what, status }) => what === 'capture' && status === 200))
      this.#remember(order);
  }

  async #capture(order: CreationRequest): Promise<FollowUpRequest> {
    const answer = await this.#ask('POST', `/debit/${order.id}/capture`, undefined, [200, 402, 409]);
    return this.#did({ what: 'capture', of: order.id ?? '', status: answer?.status });
  }

  async #refundSomething(): Promise<void> {
    const debit = this.#paid[this.#random.int(Math.max(1, this.#paid.length))];
    if (!debit) return;
    // Sometimes the back office requests three refunds of the debit, whose sum may be too high.
    const many = this.#random.int(6) === 0 ? 3 : 1;
    await Promise.all(Array.from({ length: many }, () => this.#refund(debit)));
  }

  async #refund(debit: { id: string; amount: number }): Promise<void> {
    const order = this.#order('refund', 1 + this.#random.int(Math.ceil(debit.amount / 2)));
    order.debitId = debit.id;
    const path = `/debit/${debit.id}/refunds`;
    const body = { ...this.#money(order), reason: 'customer_request', reason_details: order.mark };
    const answer = await this.#send(order, 'POST', path, body, [201, 422]);
    order.id = bodyOf(answer).id;
    if (order.id !== undefined && this.#random.int(6) === 0)
      await this.#operate('fail', order.id, `/control/refunds/${order.id}/fail`);
    if (answer !== undefined) return;
    const listed = await this.#untilAnswered('GET', path, [200]);
    if (bodyOf(listed).refunds?.some(({ reason_details }) => reason_details === order.mark)) return;
    const again: CreationRequest = { ...order, mark: `${order.mark}-again` };
    this.orders.push(again);
    again.id = bodyOf(
      await this.#send(again, 'POST', path, { ...body, reason_details: again.mark }, [201, 422]),
    ).id;
  }

  async #block(): Promise<void> {
    const debit = this.#paid[this.#random.int(Math.max(1, this.#paid.length))];
    if (!debit) return;
    const body = { amount: this.#random.int(2), reason: 'disputed' };
    await this.#mayMiss(() =>
      callControl(this.#world, `/control/debits/${debit.id}/blocked-refunds`, body, [409, 503]),
    );
  }

  async #sendLink(): Promise<void> {
    const order = this.#order('credit', 50 * (1 + this.#random.int(100)));
    const answer = await this.#send(
      order,
      'PUT',
      '/credit',
      {
        ...this.#money(order),
        statement: order.mark,
        from_bank_account: configuredBankAccountId,
        contact_id: configuredContactId,
      },
      [200],
    );
    const { identifier, link } = bodyOf(answer);
    order.id = identifier;
    if (identifier === undefined || link === undefined) return;
    const pick = this.#random.int(5);
    if (pick === 0) return; // this link is never opened
    if (pick === 1) {
      await this.#operate('expire', identifier, `/control/credits/${identifier}/expire`);
      return;
    }
    const refused = this.#random.int(4) === 0;
    const visit = await visitPaymentLink(
      (method, path, headers, body) =>
        this.#request(method, path, headers, body, [200, 303, 403, 410, 422, 429]),
      link,
      { random: this.#random, answer: securityAnswer, refused },
    );
    this.#did({ what: 'visit', of: identifier, status: undefined, refused, ...visit });
  }

  #order(kind: CreationKind, amount: number): CreationRequest {
    const order: CreationRequest = {
      kind,
      amount,
      status: undefined,
      mark: `${this.#name}-${this.orders.length}`,
    };
    this.orders.push(order);
    return order;
  }

  #money({ amount }: CreationRequest): { amount: number } {
    return { amount: amount / 100 };
  }

  #remember({ id, amount }: CreationRequest): void {
    this.#paid.push({ id: id ?? '', amount });
  }

  #did(action: FollowUpRequest): FollowUpRequest {
    this.actions.push(action);
    return action;
  }

  /** Sends a request as the operator does. The answer may be 409, because the debit or credit may have ended before. */
  async #operate(what: FollowUpRequest['what'], of: string, path: string): Promise<FollowUpRequest> {
    const token = this.#world.controlToken;
    const answer = await this.#request(
      'POST',
      path,
      { authorization: `Bearer ${token}` },
      undefined,
      [200, 409],
    );
    return this.#did({ what, of, status: answer?.status });
  }

  async #send(order: CreationRequest, method: string, path: string, body: object, expected: number[]) {
    const answer = await this.#ask(method, path, body, expected, this.#random.int(12) === 0);
    order.status = answer?.status;
    return answer;
  }

  async #untilAnswered(method: string, path: string, expected: number[]): Promise<HttpAnswer | undefined> {
    const untilMs = Date.now() + this.#world.answerLimitMs;
    for (;;) {
      const answer = await this.#ask(method, path, undefined, expected);
      if (answer || Date.now() > untilMs) return answer;
    }
  }

  #ask(
    method: string,
    path: string,
    body: object | undefined,
    expected: number[],
    hangsUp = false,
  ): Promise<HttpAnswer | undefined> {
    const headers = {
      authorization: `Bearer ${this.#world.token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const hangUpAfterMs = hangsUp ? this.#random.int(15) : undefined;
    return this.#request(method, path, headers, body && JSON.stringify(body), expected, hangUpAfterMs);
  }

  /**
   * Sends one request. Returns undefined if no answer came, and adds a complaint if the answer is missing or
   * unexpected.
   */
  #request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    expected: number[],
    hangUpAfterMs?: number,
  ): Promise<HttpAnswer | undefined> {
    const startedAt = Date.now();
    return this.#mayMiss(async () => {
      const answer = await httpRequest(this.#world.url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(hangUpAfterMs === undefined ? {} : { signal: AbortSignal.timeout(hangUpAfterMs) }),
        timeoutMs: this.#world.answerLimitMs,
      });
      if (!expected.includes(answer.status) && !this.#refused(answer.status, startedAt))
        this.complaints.push(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
      return isUnknownEnd(answer) ? undefined : answer;
    }, hangUpAfterMs !== undefined);
  }

  /** Whether the answer says that nothing could be stored, so nothing was done (B68). */
  #refused(status: number, startedAt: number): boolean {
    return status === 503 && this.#world.mayRefuseSince(startedAt);
  }

  async #mayMiss<Result>(ask: () => Promise<Result>, hangsUp = false): Promise<Result | undefined> {
    const startedAt = Date.now();
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (error.timedOut || !(hangsUp || this.#world.gatewayWasDownSince(startedAt)))
        this.complaints.push(`${error.message} after ${Date.now() - startedAt} ms`);
      await delay(systemClock, 20 + this.#random.int(30));
      return undefined;
    }
  }
}

function bodyOf(answer: HttpAnswer | undefined): Body {
  return answer?.text.startsWith('{') ? (JSON.parse(answer.text) as Body) : {};
}

/**
 * Whether the answer says that the gateway does not know whether the request was carried out (B68). Such an answer
 * counts as no answer.
 */
function isUnknownEnd({ status, text }: HttpAnswer): boolean {
  return status === 503 && text.includes('does not know whether');
}
