import { isoTime } from '../../shared/clock.ts';
import { assign } from '../../shared/database/unit-of-work.ts';
import { Deadlines } from '../../shared/deadlines.ts';
import type { About } from '../../shared/journal.ts';
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

interface RecoveryParts {
  runtime: Runtime;
  store: Store;
  terminals: TerminalService;
  poi: PoiServer;
  open: OpenPayments;
  waiting: Waiting;
  conclusions: Conclusions;
}

/**
 * Brings payments to their terminals and, whatever breaks, to an end: delivery and delivering again, asking a
 * terminal that is back, deadlines, aborts that are kept (B63–B66, B54).
 */
export class Recovery {
  readonly #parts: RecoveryParts;
  /** When held requests are answered, and what was not delivered fails (B63). */
  #caps: Deadlines;
  /** When a lost payment is given up (B65). */
  #deadlines: Deadlines;
  /** When a terminal that stays connected past the cap is asked again. */
  #checks: Deadlines;
  #deliveries: Deadlines;
  #stopped = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    const deadlines = (run: (payment: OpenPayment) => unknown) =>
      new Deadlines(parts.runtime.clock, {
        run: (id) => {
          const payment = this.#parts.open.byId(id);
          return payment && run(payment);
        },
        failed: (id, error, failures) => this.#notWritten(id, error, failures),
      });
    this.#caps = deadlines((payment) => this.#capped(payment));
    this.#deadlines = deadlines((payment) => this.#giveUp(payment));
    this.#checks = deadlines((payment) => this.#check(payment));
    this.#deliveries = deadlines((payment) => this.#deliver(payment));
    this.#parts.conclusions.onConcluded(({ id }) => {
      for (const each of this.#allDeadlines()) each.clear(id);
    });
  }

  /** Takes up the payments that a former process accepted and did not conclude. */
  async recover(): Promise<void> {
    const { runtime, store, terminals, poi, open } = this.#parts;
    for (const row of await store.read(readOpen)) {
      const terminal = row.terminal_deleted_at === null ? terminals.byId(row.terminal_id) : undefined;
      const payment = openPayment(row, row, terminal?.poiId ?? '', runtime.clock);
      payment.accepted = true;
      payment.sent = payment.deliveredAt !== undefined;
      open.add(payment);
      if (terminal) poi.watch(terminal.id, true);
      this.#armCap(payment);
      if (payment.deliveredAt !== undefined) this.#lost(payment);
    }
  }

  /** Begins with a payment whose acceptance is on disk. */
  start(payment: OpenPayment): void {
    payment.accepted = true;
    this.#parts.poi.watch(payment.terminalId, true);
    this.#armCap(payment);
    if (payment.deliveredAt !== undefined) this.#send(payment, false);
    else if (this.#parts.poi.isConnected(payment.terminalId)) this.#deliveries.doNow(payment.id);
  }

  /** Whether a payment's cap has passed: from then on it is not delivered (B63). */
  capPassed(payment: OpenPayment): boolean {
    return this.#leftToCap(payment) <= 0;
  }

  connected(terminal: Terminal): void {
    const payment = this.#parts.open.onTerminal(terminal.id);
    if (!payment?.accepted) return; // `start` follows, and finds the new link
    if (payment.deliveredAt === undefined) return this.#deliveries.doNow(payment.id);
    if (!payment.sent) return; // its delivery is being committed, and goes out on the new link
    if (payment.abortRequestedAt !== undefined) this.sendAbort(payment);
    this.#ask(terminal, payment);
  }

  disconnected(terminal: Terminal): void {
    const payment = this.#parts.open.onTerminal(terminal.id);
    if (payment?.sent) this.#lost(payment);
  }

  /** What a terminal that was asked knows of its payment (B65). */
  async statusAnswered(terminal: Terminal, body: TransactionStatusResponse): Promise<void> {
    const payment = this.#parts.open.onTerminal(terminal.id);
    if (!payment || body.MessageReference.ServiceID !== payment.serviceId) return;
    const repeated = body.RepeatedMessageResponse?.RepeatedResponseMessageBody.PaymentResponse;
    if (repeated) {
      if (repeated.SaleData.SaleTransactionID.TransactionID !== payment.id)
        throw new LinkError(closeCodes.policy, 'TransactionStatusResponse repeats another payment');
      await this.#parts.conclusions.conclude(payment, terminalVerdict(payment, repeated));
    } else if (body.Response.ErrorCondition === 'InProgress') {
      payment.onTerminal = true;
      await this.#foundAgain(payment);
    } else if (body.Response.ErrorCondition === 'NotFound') await this.#notFound(payment);
    else throw new LinkError(closeCodes.policy, 'TransactionStatusResponse with neither outcome nor reason');
  }

  /** An answer for the terminal's payment could not be read: after three the payment is as good as lost (B67). */
  unreadable(terminal: Terminal, { kind, header }: UnreadMessage): void {
    const payment = this.#parts.open.onTerminal(terminal.id);
    if (!payment?.sent) return;
    const answers = kind === 'PaymentResponse' && header.ServiceID === payment.serviceId;
    if (answers || kind === 'TransactionStatusResponse') this.#refused(payment);
  }

  /** Sends an abort to the terminal; waiting requests continue when the terminal has acknowledged it. */
  sendAbort(payment: OpenPayment): void {
    const terminal = this.#terminalOf(payment);
    if (!terminal || !payment.sent) return; // it follows the PaymentRequest
    const body = {
      MessageReference: { MessageCategory: 'Payment', ServiceID: payment.serviceId },
      AbortReason: 'MerchantAbort',
    };
    const serviceId = alphanumeric(this.#parts.runtime.random, 10);
    this.#parts.poi.send(terminal, { kind: 'AbortRequest', serviceId, body, payment: payment.id }, () =>
      this.#parts.waiting.wake(payment.id, { by: 'abortAcknowledged' }),
    );
  }

  /** Its terminal was deleted: the payment is lost at its deadline (B8). */
  abandoned(payment: OpenPayment): void {
    this.#parts.poi.watch(payment.terminalId, false);
    this.#lost(payment);
  }

  /** From now on nothing new begins; what is open is taken up by the next process. */
  stop(): void {
    this.#stopped = true;
    for (const each of this.#allDeadlines()) each.stop();
  }

  #allDeadlines(): Deadlines[] {
    return [this.#caps, this.#deadlines, this.#checks, this.#deliveries];
  }

  /**
   * Commits the delivery first: a terminal that has a payment must not be taken for one that has not. The cap may have
   * passed without anybody having been able to write that (B68).
   */
  async #deliver(payment: OpenPayment): Promise<void> {
    if (!this.#parts.poi.isConnected(payment.terminalId)) return; // its next link delivers
    const delivered = await this.#parts.store.write(async (unit) => {
      if (payment.concluding || payment.deliveredAt !== undefined || this.capPassed(payment)) return false;
      const deliveredAt = this.#parts.runtime.clock.now();
      assign(unit, payment, { deliveredAt });
      await updateOpen(unit, payment.id, { delivered_at: deliveredAt });
      return true;
    });
    if (delivered) this.#send(payment, false);
  }

  #send(payment: OpenPayment, again: boolean): void {
    if (this.#stopped) return;
    payment.sent = true;
    const terminal = this.#terminalOf(payment);
    const sent =
      terminal !== undefined &&
      this.#parts.poi.send(
        terminal,
        { kind: 'PaymentRequest', serviceId: payment.serviceId, body: payment.message, payment: payment.id },
        () => {
          payment.onTerminal = true;
        },
        () => payment.concluding || this.#refused(payment) || this.#send(payment, true),
      );
    if (!sent) return this.#lost(payment);
    this.#parts.runtime.journal.add('payment.delivered', { again }, about(payment));
    if (payment.abortRequestedAt !== undefined) this.sendAbort(payment);
  }

  #ask(terminal: Terminal, payment: OpenPayment): void {
    const body = { MessageReference: { MessageCategory: 'Payment', ServiceID: payment.serviceId } };
    const serviceId = alphanumeric(this.#parts.runtime.random, 10);
    this.#parts.poi.send(terminal, {
      kind: 'TransactionStatusRequest',
      serviceId,
      body,
      payment: payment.id,
    });
  }

  /**
   * Counts a refusal; true where it was the last, or the cap has passed meanwhile: then nothing more is sent, and the
   * deadline runs (B63, B67).
   */
  #refused(payment: OpenPayment): boolean {
    if (++payment.refusals < mostRefusals && !this.capPassed(payment)) return false;
    this.#lost(payment);
    return true;
  }

  async #notFound(payment: OpenPayment): Promise<void> {
    if (payment.refusals >= mostRefusals) return; // its deadline runs
    const aborted = payment.abortRequestedAt !== undefined;
    if (!aborted && !this.capPassed(payment)) {
      await this.#foundAgain(payment);
      return this.#send(payment, true);
    }
    const why = aborted
      ? 'the terminal came back without the payment, which had been aborted'
      : 'the terminal came back without the payment, too late to deliver it again';
    await this.#parts.conclusions.conclude(payment, gatewayFailure(payment, 'DeviceOut', why));
  }

  /**
   * Starts the deadline after which a lost payment is given up. A terminal that comes and goes without ever answering
   * for its payment has one deadline for all of it, or the payment would never end.
   */
  #lost(payment: OpenPayment): void {
    if (this.#stopped || payment.concluding) return;
    if (payment.deadlineAt !== undefined && this.#deadlines.has(payment.id)) return;
    const { clock, timeouts, journal } = this.#parts.runtime;
    const age = clock.monotonic() - payment.begunAt;
    const leftMs = Math.max(timeouts.lostAfterAcceptanceMs - age, timeouts.lostAfterLossMs);
    const deadline = Math.round(clock.now() + leftMs);
    payment.deadlineAt = deadline;
    this.#parts.store
      .write((unit) => updateOpen(unit, payment.id, { deadline_at: deadline }))
      .catch((error: unknown) => this.#notWritten(payment.id, error, 1));
    journal.add('payment.lost', { deadline: isoTime(deadline) }, about(payment));
    this.#checks.clear(payment.id);
    this.#deadlines.set(payment.id, leftMs);
  }

  #giveUp(payment: OpenPayment): Promise<unknown> {
    const why =
      payment.deadlineAt === undefined
        ? 'the terminal stayed connected and did not answer for the payment'
        : 'the terminal was lost and did not come back with an answer in time';
    const verdict = gatewayFailure(payment, 'DeviceOut', why);
    return this.#parts.conclusions.conclude(payment, verdict, () => this.#deadlines.isDue(payment.id));
  }

  /**
   * Asks a terminal that stayed connected past the cap whether it still has its payment: one that never answers for
   * it is as lost as one that is gone, or the payment would never end (B66).
   */
  #check(payment: OpenPayment): void {
    const terminal = this.#terminalOf(payment);
    if (this.#stopped || payment.concluding || payment.deadlineAt !== undefined || !terminal) return;
    if (!this.#parts.poi.isConnected(terminal.id)) return; // then it is lost, and has its deadline
    if (!payment.sent) return this.#checkLater(payment);
    this.#ask(terminal, payment);
    this.#deadlines.set(payment.id, this.#parts.runtime.timeouts.lostAfterLossMs);
  }

  #checkLater(payment: OpenPayment): void {
    this.#checks.set(payment.id, this.#parts.runtime.timeouts.lostAfterLossMs);
  }

  async #foundAgain(payment: OpenPayment): Promise<void> {
    this.#deadlines.clear(payment.id);
    if (this.capPassed(payment)) this.#checkLater(payment);
    if (payment.deadlineAt === undefined) return;
    payment.deadlineAt = undefined;
    await this.#parts.store.write((unit) => updateOpen(unit, payment.id, { deadline_at: null }));
  }

  /** Undefined where it was deleted, also where there is another of its identifier now. */
  #terminalOf({ terminalId, terminalDeletedAt }: OpenPayment): Terminal | undefined {
    return terminalDeletedAt === undefined ? this.#parts.terminals.byId(terminalId) : undefined;
  }

  #leftToCap(payment: OpenPayment): number {
    const { clock, timeouts } = this.#parts.runtime;
    return payment.begunAt + timeouts.paymentCapMs - clock.monotonic();
  }

  #armCap(payment: OpenPayment): void {
    const leftMs = this.#leftToCap(payment);
    if (leftMs > 0) this.#caps.set(payment.id, leftMs);
    else this.#caps.doNow(payment.id);
  }

  /** At the cap held requests are answered 303, and a payment not delivered before the cap never is (B63). */
  async #capped(payment: OpenPayment): Promise<void> {
    this.#parts.waiting.wake(payment.id, { by: 'cap' });
    if (payment.deliveredAt === undefined) {
      const verdict = gatewayFailure(payment, 'UnreachableHost', 'the terminal was not reached in time');
      const undelivered = () => payment.deliveredAt === undefined;
      if (await this.#parts.conclusions.conclude(payment, verdict, undelivered)) return;
    }
    this.#check(payment);
  }

  /** Of something that is tried again, the first failure is reported (B68). */
  #notWritten(id: string, error: unknown, failures: number): void {
    const payment = this.#parts.open.byId(id);
    if (!payment || failures > 1) return;
    const message = `payment could not be written: ${error instanceof Error ? error.message : error}`;
    this.#parts.runtime.journal.add('warning', { message }, about(payment));
  }
}

/** The name of a terminal that was deleted before the start is not known any more. */
function about({ poiId, id }: OpenPayment): About {
  return { terminal: poiId === '' ? undefined : poiId, payment: id };
}
