import type { TimerHandle } from '../../shared/clock.ts';
import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, LinkError } from '../../shared/transport/link.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx, Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type AmountEndings, amountEndings } from './amount-endings.ts';
import { answerBefore, answerOf, askedIn, closedAnswer, refused, unknownPayment } from './answers.ts';
import { authorizationIn } from './attempts.ts';
import { isOf, type KnownPayment, type Requester, storedPayment } from './known-payment.ts';
import { Ledger, type LedgerSubject } from './ledger.ts';
import { type Circumstances, decide, everyPinWrong } from './outcome-rules.ts';
import { Outcomes } from './outcomes.ts';

type Authorize = Extract<AcquirerRequest, { Type: 'Authorize' }>;
type Reverse = Extract<AcquirerRequest, { Type: 'Reverse' }>;

/** Whether magic amounts are on for a terminal, and whose setting that is. */
type MagicAmounts = (terminalId: string) => Circumstances['magicAmounts'];

interface AcquirerOptions {
  magicAmounts: MagicAmounts;
  /** Added to the known ones, or taking their place. */
  amountEndings?: AmountEndings;
  /** A payment that is open for sure, from memory; the others are looked up. */
  openPayment?: (id: string) => Omit<KnownPayment, 'concluded'> | undefined;
}

/** The acquirer's host: authorizes, declines and reverses, and keeps the book of it. */
export class Acquirer {
  readonly outcomes: Outcomes;
  readonly ledger: Ledger;
  /** The endings in force. */
  readonly amountEndings: AmountEndings;
  #runtime: Runtime;
  #store: Store;
  #magicAmounts: MagicAmounts;
  #openPayment: NonNullable<AcquirerOptions['openPayment']>;
  #late = new Set<TimerHandle>();

  private constructor(runtime: Runtime, store: Store, outcomes: Outcomes, options: AcquirerOptions) {
    this.#runtime = runtime;
    this.#store = store;
    this.outcomes = outcomes;
    this.ledger = new Ledger(runtime);
    this.#magicAmounts = options.magicAmounts;
    this.#openPayment = options.openPayment ?? (() => undefined);
    this.amountEndings = { ...amountEndings, ...options.amountEndings };
  }

  static async open(runtime: Runtime, store: Store, options: AcquirerOptions): Promise<Acquirer> {
    return new Acquirer(runtime, store, await Outcomes.open(runtime, store), options);
  }

  /**
   * Works on a terminal's request and answers through `answer`: at once, later, or never, as the outcome set for
   * it says. Resolves when what happens now is committed.
   *
   * @throws LinkError where the payment is another terminal's
   */
  async handle(
    terminal: Requester,
    request: AcquirerRequest,
    answer: (response: AcquirerResponse) => void,
  ): Promise<void> {
    if (request.Type === 'Reverse') return answer(await this.#reverse(terminal, request));
    await this.#actOnce(terminal, request);
    const timing = this.#timing(terminal.id, request.PaymentReference);
    if (timing?.type === 'late') {
      const timer = this.#runtime.clock.setTimeout(() => {
        this.#late.delete(timer);
        this.#authorizeLate(terminal, request, answer);
      }, timing.delayMs);
      this.#late.add(timer);
      return;
    }
    const response = await this.#authorize(terminal, request);
    if (timing?.type === 'silent') {
      const message = 'the host keeps silent, because a test set it so; its answer above never leaves';
      this.#runtime.journal.add(
        'warning',
        { message },
        { terminal: terminal.poiId, payment: request.PaymentReference },
      );
    } else answer(response);
  }

  /**
   * The terminal has found a PIN wrong, as configured: if an outcome set once made it do so, that outcome is used up
   * (B129). Called with every PIN, also of a payment that is concluding in `unit`.
   */
  async foundPinWrong(payment: { id: string; terminalId: string }, unit?: Unit): Promise<void> {
    const { id, terminalId } = payment;
    if (this.outcomes.pending(terminalId, id)?.outcome.type !== 'wrongPin') return;
    if (unit) return this.outcomes.bind(unit, terminalId, id);
    await this.#store.write((own) => this.outcomes.bind(own, terminalId, id));
  }

  /** What is late is not answered any more: the terminals reverse it. */
  stop(): void {
    for (const timer of this.#late) this.#runtime.clock.clearTimeout(timer);
    this.#late.clear();
  }

  /** Why the terminal is to find every PIN of a payment wrong, or undefined. */
  pinRule(terminalId: string, amount: number, currency: string): string | undefined {
    return everyPinWrong(
      {
        terminalOutcome: this.outcomes.of(terminalId)?.outcome,
        amount,
        currency,
        magicAmounts: this.#magicAmounts(terminalId),
      },
      this.amountEndings,
    );
  }

  /**
   * Ends a payment that concludes as failure, in the very commit that concludes it: an authorization made before
   * is reversed, a later one is declined (B135).
   */
  async close(unit: Unit, payment: LedgerSubject): Promise<LedgerRow | undefined> {
    const because = { rule: 'reversal', why: 'the payment concluded as failure' };
    const reversed = await this.ledger.reverse(unit, payment, because);
    if (reversed) return reversed;
    const { closed } = await this.ledger.standing(unit, payment.id);
    return closed ? undefined : this.ledger.append(unit, payment, { kind: 'closed', amount: 0, ...because });
  }

  /** What is authorized for a payment and not reversed. */
  async authorization(tx: Tx, paymentId: string): Promise<LedgerRow | undefined> {
    return authorizationIn(await this.ledger.standing(tx, paymentId));
  }

  #timing(terminalId: string, paymentId: string) {
    const set = this.outcomes.of(paymentId)?.outcome ?? this.outcomes.of(terminalId)?.outcome;
    return set?.type === 'late' || set?.type === 'silent' ? set : undefined;
  }

  /** Gives a payment that is to be decided what its terminal has for the first one on which it acts. */
  async #actOnce(terminal: Requester, { PaymentReference: id, AttemptID }: Authorize): Promise<void> {
    if (!this.outcomes.pending(terminal.id, id)) return;
    await this.#store.write(async (unit) => {
      const payment = await this.#known(unit, terminal, id);
      if (!payment || payment.concluded !== null) return;
      const { attempts, closed } = await this.ledger.standing(unit, id);
      if (!closed && !attempts.has(AttemptID)) await this.outcomes.bind(unit, terminal.id, id);
    });
  }

  #authorizeLate(
    terminal: Requester,
    request: Authorize,
    answer: (response: AcquirerResponse) => void,
  ): void {
    this.#authorize(terminal, request).then(answer, (error: unknown) =>
      this.#runtime.journal.add('warning', { message: `late authorization failed: ${error}` }),
    );
  }

  async #authorize(terminal: Requester, request: Authorize): Promise<AcquirerResponse> {
    const { response, entries } = await this.#store.write(async (unit) => {
      const payment = await this.#known(unit, terminal, request.PaymentReference);
      if (!payment) return { response: unknownPayment(request), entries: [] };
      const { attempts, closed } = await this.ledger.standing(unit, payment.id);
      const attempt = attempts.get(request.AttemptID);
      const repeated = answerBefore(attempt);
      if (repeated) return { response: answerOf(request, repeated), entries: [] };
      if (payment.concluded !== null || closed || attempt?.ended) {
        const declined = await this.#declineClosed(unit, payment, request);
        return { response: answerOf(request, declined), entries: [declined] };
      }
      const replaced = await this.ledger.reverse(unit, payment, {
        rule: 'replaced',
        why: 'the terminal asked again, in another attempt',
      });
      const decided = await this.#decide(unit, payment, request);
      return { response: answerOf(request, decided), entries: [...(replaced ? [replaced] : []), decided] };
    });
    for (const entry of entries) this.ledger.journal(entry, terminal.poiId);
    return response;
  }

  #decide(unit: Unit, payment: KnownPayment, request: Authorize): Promise<LedgerRow> {
    const decision = decide(
      {
        onlinePin: request.OnlinePin,
        paymentOutcome: this.outcomes.of(payment.id)?.outcome,
        terminalOutcome: this.outcomes.of(payment.terminalId)?.outcome,
        card: { maskedPan: request.Card.MaskedPan, behaviour: request.Card.Behaviour },
        amount: payment.amount,
        currency: payment.currency,
        magicAmounts: this.#magicAmounts(payment.terminalId),
      },
      this.amountEndings,
    );
    const { rule, why, behaviour } = decision;
    const asked = { ...askedIn(request), rule, why };
    if (behaviour)
      return this.ledger.append(unit, payment, { kind: 'declined', ...asked, ...refused(behaviour) });
    return this.ledger.append(unit, payment, {
      kind: 'authorized',
      auth_code: this.ledger.authCode(),
      ...asked,
    });
  }

  #declineClosed(unit: Unit, payment: KnownPayment, request: Authorize): Promise<LedgerRow> {
    return this.ledger.append(unit, payment, {
      kind: 'declined',
      ...askedIn(request),
      rule: 'closed',
      why: 'the payment was reversed or concluded before',
      ...refused(closedAnswer),
    });
  }

  async #reverse(terminal: Requester, request: Reverse): Promise<AcquirerResponse> {
    const entry = await this.#store.write(async (unit) => {
      const payment = await this.#known(unit, terminal, request.PaymentReference);
      if (!payment) return undefined;
      const attemptId = request.AttemptID ?? null;
      if (payment.concluded !== null) {
        // The POS was notified of this success: taking the money back now would make the two books differ.
        const standing = await this.authorization(unit, payment.id);
        return standing?.attempt_id === attemptId ? 'tooLate' : undefined;
      }
      const because = { rule: 'reversal', why: `the terminal reversed it: ${request.Reason}` };
      return this.ledger.endAttempt(unit, payment, attemptId, because);
    });
    const about = { terminal: terminal.poiId, payment: request.PaymentReference };
    if (entry === 'tooLate') {
      const message = 'a reversal came after the payment was concluded as success, and changes nothing';
      this.#runtime.journal.add('warning', { message }, about);
    } else if (entry) this.ledger.journal(entry, terminal.poiId);
    const { PaymentReference, AttemptID } = request;
    return { Type: 'Reverse', PaymentReference, AttemptID };
  }

  /**
   * The payment a terminal refers to; undefined if it is unknown, has ended or was left
   * open by a former terminal, which this one's memory still has (B8).
   *
   * @throws LinkError where it is on another terminal now
   */
  async #known(tx: Tx, terminal: Requester, id: string): Promise<KnownPayment | undefined> {
    const open = this.#openPayment(id);
    if (open && open.terminalDeletedAt === undefined) {
      if (open.terminalId === terminal.id) return { ...open, concluded: null };
      throw new LinkError(closeCodes.policy, `payment ${id} is another terminal's`);
    }
    const payment = await storedPayment(tx, id);
    if (!payment || (!open && isOf(terminal, payment))) return payment;
    const message = 'the terminal asks the host about a payment of a former terminal: thatis set aside';
    this.#runtime.journal.add('warning', { message }, { terminal: terminal.poiId, payment: id });
    return undefined;
  }
}
