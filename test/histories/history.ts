import assert from 'node:assert';
import { defaultAmountEndingRefusals } from '../../gateway/acquirer/amount-endings.ts';
import type { PresetOutcome } from '../../gateway/acquirer/schemas.ts';
import { acceptPayment } from '../../gateway/payments/core/accepting.ts';
import type { Effect, TimerName } from '../../gateway/payments/core/effects.ts';
import { decide } from '../../gateway/payments/core/lifecycle.ts';
import { makeGatewayPaymentOffer } from '../../gateway/payments/core/payment-offer.ts';
import { noPayment, type State } from '../../gateway/payments/core/states.ts';
import type { Input, PaymentFacts, Step } from '../../gateway/payments/core/step.ts';
import { OpenPayments } from '../../gateway/payments/moving/open-payments.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { defaultTimeouts } from '../../shared/timeouts.ts';
import { LinkProtocolError } from '../../shared/transport/link.ts';
import type { Coverage } from './coverage.ts';
import { Disk } from './disk.ts';
import { outcomes, terminal } from './inputs.ts';
import { checkDisk, checkEffect } from './invariants.ts';
import { PosRequestGenerator } from './pos-request-generator.ts';
import { TerminalMessageGenerator } from './terminal-message-generator.ts';

const limits = defaultTimeouts;
const startedAt = Date.parse('2026-01-01T09:00:00Z');
const longestMs = 200_000;

type Offered = Extract<Input, { is: 'offered' }>;

interface Due {
  at: number;
  subject: string;
  input: Input;
  /**
   * The name of the timer that causes this input. A new timer replaces the payment's earlier timer of the same name.
   */
  timer?: TimerName;
}

/**
 * Before the gateway handles one of these inputs, it fetches the payments that another gateway accepted. For example,
 * it does so after the database refused a second payment.
 */
const takesUp: ReadonlySet<Input['is']> = new Set([
  'accepted',
  'answered',
  'hostAsked',
  'linkUp',
  'terminalDeleted',
]);

/**
 * Plays the payments of one terminal with the pure core. Chance decides which input comes next, how long it takes,
 * what the disk refuses, and between which two effects the process dies. The invariants are checked after every
 * commit and before every effect.
 */
export class History {
  /** What happened, for the person who has to understand a violation. */
  readonly said: string[] = [];
  readonly #int: (below: number) => number;
  readonly #coverage: Coverage;
  readonly #decide: typeof decide;
  readonly #disk = new Disk();
  readonly #sayings: TerminalMessageGenerator;
  readonly #orders: PosRequestGenerator;
  readonly #outcomes = new Map<string, PresetOutcome>();
  readonly #told = new Set<string>();
  #open = new OpenPayments();
  #dues: Due[] = [];
  #sent: string[] = [];
  #monotonic = 1_000;
  #drawn = 0;
  #drawnBefore = 0;
  #lives = 0;
  #connected = false;
  readonly #offers: Offered[] = [];
  #settling = false;

  constructor(seed: number, coverage: Coverage, decides: typeof decide = decide) {
    this.#decide = decides;
    const random = makeSeededRandom(seed);
    this.#int = (below) => random.int(below);
    this.#orders = new PosRequestGenerator(this.#int, this.#disk);
    this.#sayings = new TerminalMessageGenerator(this.#int, this.#disk);
    this.#coverage = coverage;
  }

  /** @throws Error if an invariant is broken */
  play(steps: number): void {
    for (let paid = this.#int(3); paid > 0; paid--) this.#payWell();
    for (let step = 0; step < steps; step++) this.#something();
    this.#settling = true;
    // the link ends, or it stays open and no message comes over it
    if (this.#connected && this.#int(2) === 0) this.#link(false);
    this.#adopt();
    for (let left = 20; left > 0 && this.#disk.open.size > 0; left--) this.#pass(longestMs);
    assert.equal(this.#disk.open.size, 0, 'a payment never concludes');
  }

  #something(): void {
    const chance = this.#int(100);
    const onTerminal = this.#open.onTerminal(terminal.id);
    const id = this.#oneOf(
      this.#int(3) === 0 || onTerminal.is === 'none' ? this.#orders.ids : [onTerminal.payment.id],
    );
    if (chance < 2) this.#restart();
    else if (chance < 12) this.#pass(this.#oneOf([10, 1_000, 40_000, 150_000]));
    else if (chance < 16) this.#setOutcome(this.#oneOf([id, terminal.id]));
    else if (chance < 26) this.#link(this.#int(4) === 0 || !this.#connected);
    else if (chance < 37) this.#accept();
    else if (chance < 40) this.#acceptElsewhere();
    else if (chance < 44) this.#take(id, { is: 'abortAsked' });
    else if (chance < 46) this.#take('onTerminal', { is: 'terminalDeleted', terminal });
    else if (chance < 48) this.#take(id, { is: 'due' });
    else if (chance < 52 && this.#offers.length > 0) this.#offer();
    else if (chance < 53) this.#adopt();
    else if (chance < 59) this.#goWell();
    else if (this.#connected) this.#said(id, onTerminal);
  }

  /** Completes a payment, so that there is usually money to give back. */
  #payWell(): void {
    if (!this.#connected) this.#link(true);
    this.#take('onTerminal', this.#orders.payment(2_500, startedAt + this.#monotonic, this.#monotonic));
    this.#goWell();
  }

  /** Brings the terminal's payment to its normal end, unless something goes wrong meanwhile. */
  #goWell(): void {
    const state = this.#open.onTerminal(terminal.id);
    if (!this.#connected || state.is === 'none') return;
    for (const said of this.#sayings.approved(state.payment))
      if (this.#connected) this.#take(state.payment.id, said);
  }

  /** The terminal sends a message. Messages of a link that has ended are dropped. */
  #said(id: string, onTerminal: State): void {
    const chance = this.#int(100);
    if (chance < 8) this.#take(id, { is: 'pinEntered' });
    else if (chance < 40) this.#take(id, this.#sayings.hostAsked(id));
    else if (chance < 60) this.#take(id, this.#sayings.answered(id));
    else if (chance < 80 && this.#sent.length > 0)
      this.#take(this.#oneOf(this.#sent), { is: this.#oneOf(['requestTaken', 'requestRefused'] as const) });
    else this.#take('onTerminal', this.#sayings.ofTerminal(onTerminal));
  }

  #accept(): void {
    const input = this.#accepted();
    if (input) this.#take('onTerminal', input);
  }

  #accepted() {
    return this.#orders.next(startedAt + this.#monotonic, this.#monotonic);
  }

  /**
   * Another gateway accepts a payment if none is open. That gateway announces the payment never, once or several times.
   */
  #acceptElsewhere(): void {
    if ([...this.#disk.open.values()].some((row) => row.terminal_deleted_at === null)) return;
    const input = this.#accepted();
    if (!input) return;
    const facts = { ...this.#facts(input.row.id, noPayment), connected: false };
    const { records } = acceptPayment(noPayment, input, facts);
    if (!this.#disk.takes(records)) return;
    this.#disk.apply(records);
    this.said.push(`${input.row.id} is accepted elsewhere`);
    this.#offers.push({ is: 'offered', offer: makeGatewayPaymentOffer(input.row), payment: input.payment });
  }

  /** This gateway receives an announcement, which may be outdated or wrong. */
  #offer(): void {
    const offered = this.#int(3) === 0 ? this.#oneOf(this.#offers) : (this.#offers.at(-1) as Offered);
    const { offer, payment } = offered;
    const other = this.#oneOf([
      { amount: 1 },
      { kind: offer.kind === 'refund' ? 'payment' : 'refund' },
    ] as const);
    const wrong: Offered = {
      is: 'offered',
      offer: { ...offer, ...other },
      payment: { ...payment, ...other },
    };
    this.#take(offer.id, this.#int(4) === 0 ? wrong : offered);
  }

  /** Fetches the payments that other gateways accepted. */
  #adopt(): void {
    const [now, life] = [startedAt + this.#monotonic, this.#lives];
    for (const state of this.#disk.recovered(now, this.#monotonic, 'another')) {
      const { id } = state.payment;
      if (life !== this.#lives || this.#open.byId(id).is !== 'none') continue;
      this.said.push(`${id} is taken up`);
      this.#open.install(noPayment, state);
      this.#recover(id);
      if (life === this.#lives && state.is === 'waiting' && this.#connected) this.#take(id, { is: 'linkUp' });
    }
  }

  #link(up: boolean): void {
    this.#connected = up;
    if (!up) this.#sent = [];
    this.#take('onTerminal', { is: up ? 'linkUp' : 'linkDown' });
  }

  /**
   * The link ends while a commit is on its way to the disk. So the gateway may handle the end of the link much later.
   */
  #breakLink(): void {
    this.#connected = false;
    this.#sent = [];
    const at = this.#monotonic + this.#oneOf([0, 0, 300_000]);
    this.#dues.push({ at, subject: 'onTerminal', input: { is: 'linkDown' } });
  }

  /**
   * Handles an input as the gateway does in the input's turn: decides, commits, takes over the new state and runs the
   * effects.
   */
  #take(subject: string, input: Input): void {
    if (takesUp.has(input.is)) this.#adopt();
    const state = subject === 'onTerminal' ? this.#open.onTerminal(terminal.id) : this.#open.byId(subject);
    this.#coverage.hit(state.is, input.is);
    this.said.push(`${this.#monotonic} ${subject} ${state.is}: ${JSON.stringify(input)}`);
    const facts = this.#facts(subject, state);
    this.#drawnBefore = this.#drawn;
    let step: Step;
    try {
      step = this.#decide(state, input, facts);
      if (this.#int(50) === 0) this.#checkPure(state, input, facts, step);
    } catch (error) {
      if (!(error instanceof LinkProtocolError)) throw error;
      return this.#connected ? this.#link(false) : undefined;
    }
    if (step.records.length > 0) {
      if (!this.#settling && this.#int(12) === 0) return this.#refused(subject, state, input);
      if (!this.#disk.takes(step.records)) {
        const mayBe = input.is === 'offered' || (input.is === 'accepted' && input.row.kind === 'reversal');
        assert.ok(mayBe, 'another row than is stored');
        return this.#adopt();
      }
      this.#disk.apply(step.records);
      checkDisk(this.#disk);
      if (this.#connected && this.#int(30) === 0) this.#breakLink();
    }
    this.#open.install(state, step.state);
    for (const change of step.outcomes) {
      if ('set' in change) this.#outcomes.set(change.set.subject, change.set);
      else this.#outcomes.delete(change.clear);
    }
    this.#run(step.effects);
  }

  #checkPure(state: State, input: Input, facts: PaymentFacts, decided: Step): void {
    this.#drawn = this.#drawnBefore;
    assert.deepStrictEqual(this.#decide(state, input, facts), decided, 'another decision on the same facts');
  }

  /**
   * Handles a commit that was refused. If a timer caused it, the timer tries again. If a terminal or a client caused
   * it, the sender repeats its request.
   */
  #refused(subject: string, state: State, input: Input): void {
    this.said.push('refused');
    if (state.is === 'none') return;
    if (input.is === 'due' || input.is === 'linkUp')
      this.#dues.push({ at: this.#monotonic + 1_000, subject: state.payment.id, input: { is: 'due' } });
    if (input.is === 'hostAsked' && input.late)
      this.#dues.push({ at: this.#monotonic + 1_000, subject, input });
  }

  #run(effects: readonly Effect[]): void {
    for (const effect of effects) {
      checkEffect(effect, this.#disk);
      this.#do(effect);
      if (!this.#settling && this.#int(200) === 0) return this.#restart();
    }
  }

  #do(effect: Effect): void {
    if (effect.do === 'deliver') {
      if (this.#connected) this.#sent.push(effect.payment.id);
      else this.#dues.push({ at: this.#monotonic, subject: effect.payment.id, input: { is: 'linkDown' } });
    } else if (effect.do === 'answer') {
      assert.ok(!this.#told.has(effect.paymentId), `${effect.paymentId} is concluded twice`);
      this.#told.add(effect.paymentId);
    } else if (effect.do === 'disarm') this.#disarm(effect.paymentId, effect.timers);
    else if (effect.do === 'arm') {
      const { timer, paymentId: subject, at } = effect;
      this.#disarm(subject, [timer]);
      this.#dues.push({ at: Math.max(at, this.#monotonic), subject, input: { is: 'due' }, timer });
    } else if (effect.do === 'decideLate') {
      const { do: _, inMs, ...asked } = effect;
      const input: Input = { is: 'hostAsked', ...asked, late: true };
      this.#dues.push({ at: this.#monotonic + inMs, subject: asked.request.PaymentReference, input });
    } else if (effect.do === 'forget') this.#connected = false;
  }

  #disarm(paymentId: string, timers: readonly TimerName[]): void {
    this.#dues = this.#dues.filter(
      ({ subject, timer }) => subject !== paymentId || !timer || !timers.includes(timer),
    );
  }

  #pass(ms: number): void {
    const until = this.#monotonic + ms;
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#monotonic = Math.max(this.#monotonic, next.at);
      this.#take(next.subject, next.input);
    }
    this.#monotonic = until;
  }

  #next(until: number): Due | undefined {
    const first = this.#dues.reduce<Due | undefined>(
      (one, other) => (one && one.at <= other.at ? one : other),
      undefined,
    );
    if (!first || first.at > until) return undefined;
    this.#dues.splice(this.#dues.indexOf(first), 1);
    return first;
  }

  /**
   * The process dies, or another gateway takes over the terminal. The successor reads the open payments from the disk.
   */
  #restart(): void {
    const by = this.#oneOf(['next', 'another'] as const);
    this.said.push(by === 'next' ? 'restart' : 'taken over');
    this.#dues = [];
    this.#sent = [];
    this.#connected = false;
    this.#open = new OpenPayments();
    const states = this.#disk.recovered(startedAt + this.#monotonic, this.#monotonic, by);
    for (const state of states) this.#open.install(noPayment, state);
    const life = ++this.#lives;
    for (const { payment } of states) if (life === this.#lives) this.#recover(payment.id);
  }

  #recover(id: string): void {
    const { deadline_at: deadlineAt = null } = this.#disk.open.get(id) ?? {};
    this.#take(id, { is: 'recovered', deadlineAt });
  }

  #setOutcome(subject: string): void {
    const mode = this.#oneOf(['once', 'always'] as const);
    const scope = subject === terminal.id ? 'terminal' : 'payment';
    this.#outcomes.set(subject, { subject, scope, mode, outcome: this.#oneOf(outcomes) });
  }

  #facts(subject: string, state: State): PaymentFacts {
    const id = state.is === 'none' ? subject : state.payment.id;
    const draw = () => `${this.#drawn++}`;
    return {
      now: startedAt + this.#monotonic,
      monotonic: this.#monotonic,
      dice: { identifier: draw, pspReference: draw, authCode: draw },
      outcomes: { payment: this.#outcomes.get(id), terminal: this.#outcomes.get(terminal.id) },
      magicAmounts: { on: true, setBy: 'account' },
      amountEndings: defaultAmountEndingRefusals,
      timeouts: limits,
      connected: this.#connected,
      stored: state.is === 'none' ? this.#disk.stored(subject) : undefined,
    };
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#int(values.length)] as Value;
  }
}
