import { isoTime } from '../../shared/clock.ts';
import { assign } from '../../shared/database/unit-of-work.ts';
import type { TransactionStatusResponse } from '../../shared/nexo/bodies.ts';
import { alphanumeric } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, LinkError, mostRefusals } from '../../shared/transport/link.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from '../terminals/directory.ts';
import type { PoiServer, UnreadMessage } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import { type Conclusions, gatewayFailure, terminalVerdict } from './conclusion.ts';
import { type OpenPayment, type OpenPayments, openPayment } from './open-payments.ts';
import { readOpen, updateOpen } from './rows.ts';
import type { Waiting } from './waiting.ts';

/**
 * Brings payments to their terminals and, whatever breaks, to an end: delivery and delivering again, asking a
 * terminal that is back, deadlines, aborts that are kept (decisions 17, 18, 24).
 */
export class Recovery {
  #runtime: Runtime;
  #store: Store;
  #terminals: TerminalService;
  #poi: PoiServer;
  #open: OpenPayments;
  #waiting: Waiting;
  #conclusions: Conclusions;
  #stopped = false;

  constructor(parts: {
    runtime: Runtime;
    store: Store;
    terminals: TerminalService;
    poi: PoiServer;
    open: OpenPayments;
    waiting: Waiting;
    conclusions: Conclusions;
  }) {
    this.#runtime = parts.runtime;
    this.#store = parts.store;
    this.#terminals = parts.terminals;
    this.#poi = parts.poi;
    this.#open = parts.open;
    this.#waiting = parts.waiting;
    this.#conclusions = parts.conclusions;
  }

  /** Takes up the payments that a former process accepted and did not conclude. */
  async recover(): Promise<void> {
    for (const row of await this.#store.read(readOpen)) {
      const terminal = row.terminal_deleted_at === null ? this.#terminals.byId(row.terminal_id) : undefined;
      const payment = openPayment(row, row, terminal?.poiId ?? '');
      payment.accepted = true;
      payment.sent = payment.deliveredAt !== undefined;
      this.#open.add(payment);
      if (terminal) this.#poi.watch(terminal.id, true);
      this.#armCap(payment);
      if (payment.deliveredAt !== undefined) this.#lost(payment);
    }
  }

  /** Begins with a payment whose acceptance is on disk. */
  start(payment: OpenPayment): void {
    payment.accepted = true;
    this.#poi.watch(payment.terminalId, true);
    this.#armCap(payment);
    if (payment.deliveredAt !== undefined) this.#send(payment, false);
    else if (this.#poi.isConnected(payment.terminalId)) this.#deliver(payment);
  }

  connected(terminal: Terminal): void {
    const payment = this.#open.onTerminal(terminal.id);
    if (!payment?.accepted) return; // `start` follows, and finds the new link
    if (payment.deliveredAt === undefined) return this.#deliver(payment);
    if (!payment.sent) return; // its delivery is being committed, and goes out on the new link
    if (payment.abortRequestedAt !== undefined) this.sendAbort(payment);
    this.#ask(terminal, payment);
  }

  disconnected(terminal: Terminal): void {
    const payment = this.#open.onTerminal(terminal.id);
    if (payment?.sent) this.#lost(payment);
  }

  /** What a terminal that was asked knows of its payment (decision 18). */
  async statusAnswered(terminal: Terminal, body: TransactionStatusResponse): Promise<void> {
    const payment = this.#open.onTerminal(terminal.id);
    if (!payment || body.MessageReference.ServiceID !== payment.serviceId) return;
    const repeated = body.RepeatedMessageResponse?.RepeatedResponseMessageBody.PaymentResponse;
    if (repeated) {
      if (repeated.SaleData.SaleTransactionID.TransactionID !== payment.id)
        throw new LinkError(closeCodes.policy, 'TransactionStatusResponse repeats another payment');
      await this.#conclusions.conclude(payment, terminalVerdict(payment, repeated));
    } else if (body.Response.ErrorCondition === 'InProgress') {
      payment.onTerminal = true;
      await this.#foundAgain(payment);
    } else if (body.Response.ErrorCondition === 'NotFound') await this.#notFound(payment);
    else throw new LinkError(closeCodes.policy, 'TransactionStatusResponse with neither outcome nor reason');
  }

  /** An answer for the terminal's payment could not be read: after three the payment is as good as lost (decision 65). */
  unreadable(terminal: Terminal, { kind, header }: UnreadMessage): void {
    const payment = this.#open.onTerminal(terminal.id);
    if (!payment?.sent) return;
    const answers = kind === 'PaymentResponse' && header.ServiceID === payment.serviceId;
    if (answers || kind === 'TransactionStatusResponse') this.#refused(payment);
  }

  /** Tells the terminal to abort; whoever waits for it is woken when the terminal has acknowledged it. */
  sendAbort(payment: OpenPayment): void {
    const terminal = this.#terminalOf(payment);
    if (!terminal || !payment.sent) return; // it follows the PaymentRequest
    const body = {
      MessageReference: { MessageCategory: 'Payment', ServiceID: payment.serviceId },
      AbortReason: 'MerchantAbort',
    };
    const serviceId = alphanumeric(this.#runtime.random, 10);
    this.#poi.send(terminal, { kind: 'AbortRequest', serviceId, body, payment: payment.id }, () =>
      this.#waiting.wake(payment.id, { by: 'abortAcknowledged' }),
    );
  }

  /** Its terminal was deleted: nobody answers for the payment before its deadline (decision 57). */
  abandoned(payment: OpenPayment): void {
    this.#poi.watch(payment.terminalId, false);
    this.#lost(payment);
  }

  /** From now on nothing new begins; what is open is taken up by the next process. */
  stop(): void {
    this.#stopped = true;
    for (const payment of this.#open.all()) {
      this.#runtime.clock.clearTimeout(payment.capTimer);
      this.#runtime.clock.clearTimeout(payment.deadlineTimer);
    }
  }

  /** Commits the delivery first: a terminal that has a payment must not be taken for one that has not. */
  #deliver(payment: OpenPayment): void {
    const delivering = this.#store.write(async (unit) => {
      if (payment.concluding || payment.deliveredAt !== undefined) return false;
      const deliveredAt = this.#runtime.clock.now();
      assign(unit, payment, { deliveredAt });
      await updateOpen(unit, payment.id, { delivered_at: deliveredAt });
      return true;
    });
    delivering.then(
      (delivered) => delivered && this.#send(payment, false),
      (error) => this.#warn(payment, error),
    );
  }

  #send(payment: OpenPayment, again: boolean): void {
    if (this.#stopped) return;
    payment.sent = true;
    const terminal = this.#terminalOf(payment);
    const sent =
      terminal !== undefined &&
      this.#poi.send(
        terminal,
        { kind: 'PaymentRequest', serviceId: payment.serviceId, body: payment.message, payment: payment.id },
        () => {
          payment.onTerminal = true;
        },
        () => payment.concluding || this.#refused(payment) || this.#send(payment, true),
      );
    if (!sent) return this.#lost(payment);
    this.#runtime.journal.add('payment.delivered', { again }, about(payment));
    if (payment.abortRequestedAt !== undefined) this.sendAbort(payment);
  }

  #ask(terminal: Terminal, payment: OpenPayment): void {
    const body = { MessageReference: { MessageCategory: 'Payment', ServiceID: payment.serviceId } };
    const serviceId = alphanumeric(this.#runtime.random, 10);
    this.#poi.send(terminal, { kind: 'TransactionStatusRequest', serviceId, body, payment: payment.id });
  }

  /** Counts a refusal; true where it was the last: then nothing more is sent, and the deadline runs (decision 65). */
  #refused(payment: OpenPayment): boolean {
    if (++payment.refusals < mostRefusals) return false;
    this.#lost(payment);
    return true;
  }

  async #notFound(payment: OpenPayment): Promise<void> {
    if (payment.refusals >= mostRefusals) return; // its deadline runs
    const aborted = payment.abortRequestedAt !== undefined;
    if (!aborted && this.#runtime.clock.now() < this.#capAt(payment)) {
      await this.#foundAgain(payment);
      return this.#send(payment, true);
    }
    const why = aborted
      ? 'the terminal came back without the payment, which had been aborted'
      : 'the terminal came back without the payment, too late to deliver it again';
    await this.#conclusions.conclude(payment, gatewayFailure(payment, 'DeviceOut', why));
  }

  /**
   * Starts the deadline after which a lost payment is given up. A terminal that comes and goes without ever answering
   * for its payment has one deadline for all of it, or the payment would never end.
   */
  #lost(payment: OpenPayment): void {
    if (this.#stopped || payment.concluding) return;
    if (payment.deadlineAt !== undefined && payment.deadlineTimer !== undefined) return;
    const { clock, timeouts, journal } = this.#runtime;
    const deadline = Math.max(
      payment.acceptedAt + timeouts.lostAfterAcceptanceMs,
      clock.now() + timeouts.lostAfterLossMs,
      payment.deadlineAt ?? 0,
    );
    payment.deadlineAt = deadline;
    this.#background(
      payment,
      this.#store.write((tx) => updateOpen(tx, payment.id, { deadline_at: deadline })),
    );
    journal.add('payment.lost', { deadline: isoTime(deadline) }, about(payment));
    clock.clearTimeout(payment.deadlineTimer);
    payment.deadlineTimer = clock.setTimeout(() => {
      const why = 'the terminal was lost and did not come back with an answer in time';
      const verdict = gatewayFailure(payment, 'DeviceOut', why);
      this.#background(
        payment,
        this.#conclusions.conclude(payment, verdict, () => payment.deadlineAt === deadline),
      );
    }, deadline - clock.now());
  }

  /**
   * Asks a terminal that stayed connected past the cap whether it still has its payment: one that never answers for
   * it is as lost as one that is gone, or the payment would never end (decisions 18, 19).
   */
  #check(payment: OpenPayment): void {
    const terminal = this.#terminalOf(payment);
    if (this.#stopped || payment.concluding || payment.deadlineAt !== undefined || !terminal) return;
    if (!this.#poi.isConnected(terminal.id)) return; // then it is lost, and has its deadline
    if (!payment.sent) return this.#checkLater(payment);
    this.#ask(terminal, payment);
    const { clock, timeouts } = this.#runtime;
    clock.clearTimeout(payment.deadlineTimer);
    payment.deadlineTimer = clock.setTimeout(() => {
      const why = 'the terminal stayed connected and did not answer for the payment';
      const verdict = gatewayFailure(payment, 'DeviceOut', why);
      this.#background(payment, this.#conclusions.conclude(payment, verdict));
    }, timeouts.lostAfterLossMs);
  }

  #checkLater(payment: OpenPayment): void {
    const { clock, timeouts } = this.#runtime;
    clock.clearTimeout(payment.deadlineTimer);
    payment.deadlineTimer = clock.setTimeout(() => this.#check(payment), timeouts.lostAfterLossMs);
  }

  async #foundAgain(payment: OpenPayment): Promise<void> {
    this.#runtime.clock.clearTimeout(payment.deadlineTimer);
    if (this.#runtime.clock.now() >= this.#capAt(payment)) this.#checkLater(payment);
    if (payment.deadlineAt === undefined) return;
    payment.deadlineAt = undefined;
    await this.#store.write((tx) => updateOpen(tx, payment.id, { deadline_at: null }));
  }

  /** Undefined where it was deleted, also where there is another of its identifier now. */
  #terminalOf({ terminalId, terminalDeletedAt }: OpenPayment): Terminal | undefined {
    return terminalDeletedAt === undefined ? this.#terminals.byId(terminalId) : undefined;
  }

  #capAt(payment: OpenPayment): number {
    return payment.acceptedAt + this.#runtime.timeouts.paymentCapMs;
  }

  #armCap(payment: OpenPayment): void {
    const leftMs = this.#capAt(payment) - this.#runtime.clock.now();
    if (leftMs <= 0) return this.#capped(payment);
    payment.capTimer = this.#runtime.clock.setTimeout(() => this.#capped(payment), leftMs);
  }

  /** At the cap held requests are answered 303, and what was not delivered by then never is (decision 17). */
  #capped(payment: OpenPayment): void {
    this.#waiting.wake(payment.id, { by: 'cap' });
    if (payment.deliveredAt !== undefined) return this.#check(payment);
    const verdict = gatewayFailure(payment, 'UnreachableHost', 'the terminal was not reached in time');
    this.#background(
      payment,
      this.#conclusions.conclude(payment, verdict, () => payment.deliveredAt === undefined),
    );
  }

  #background(payment: OpenPayment, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#warn(payment, error));
  }

  #warn(payment: OpenPayment, error: unknown): void {
    const message = `payment could not be written: ${error instanceof Error ? error.message : error}`;
    this.#runtime.journal.add('warning', { message }, about(payment));
  }
}

function about(payment: OpenPayment): { terminal: string; payment: string } {
  return { terminal: payment.poiId, payment: payment.id };
}
