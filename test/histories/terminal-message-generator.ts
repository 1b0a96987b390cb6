import type { Payment, State } from '../../gateway/payments/core/states.ts';
import type { Input } from '../../gateway/payments/core/step.ts';
import { type PaymentKind, paymentKinds } from '../../gateway/store/rows/payments.ts';
import type { Disk } from './disk.ts';
import { makeHostRequest, makeTerminalAnswer, paymentKindOf } from './giving-back.ts';
import { makeReverseRequest, terminal } from './inputs.ts';

/** Draws the messages that a terminal sends to its gateway. Some of them make no sense. */
export class TerminalMessageGenerator {
  readonly #int: (below: number) => number;
  readonly #disk: Disk;

  constructor(int: (below: number) => number, disk: Disk) {
    this.#int = int;
    this.#disk = disk;
  }

  /** The gateway has asked the terminal about its payment. Returns the terminal's answer. */
  ofTerminal(state: State): Input {
    const payment = state.is === 'none' ? undefined : state.payment;
    return this.#oneOf<() => Input>([
      () => ({ is: 'inProgress' }),
      () => ({ is: 'notFound' }),
      () => ({ is: 'answerUnreadable' }),
      () => ({ is: 'repeated', ...this.#answer(payment?.id ?? 'unknown') }),
    ])();
  }

  hostAsked(id: string): Input {
    const attempt = this.#attempt();
    const pin = this.#int(5) === 0 ? 'Wrong' : 'Correct';
    const asked =
      this.#int(4) > 0
        ? makeHostRequest(this.#kindOf(id), id, attempt, { amount: this.#amountOf(id), pin })
        : makeReverseRequest(id, attempt);
    return { is: 'hostAsked', terminal, serviceId: 'A', request: asked, late: false };
  }

  answered(id: string): Input {
    const serviceId = this.#int(20) === 0 ? 'other' : `S${id}`;
    return { is: 'answered', terminal, serviceId, ...this.#answer(id) };
  }

  /** Returns two messages: the terminal asks the host for an approval, and then reports that the host approved. */
  approved({ id, kind, amount, serviceId }: Payment): Input[] {
    const attempt = this.#attempt();
    const request = makeHostRequest(kind, id, attempt, { amount, pin: 'Correct' });
    return [
      { is: 'hostAsked', terminal, serviceId, request, late: false },
      { is: 'answered', terminal, serviceId, ...makeTerminalAnswer(kind, id, { attempt, amount }) },
    ];
  }

  #answer(id: string) {
    const kind = this.#kindOf(id);
    if (this.#int(3) === 0)
      return makeTerminalAnswer(kind, id, { failed: this.#oneOf(['Cancel', 'WrongPIN'] as const) });
    const amount = this.#int(10) === 0 ? 4_711 : this.#amountOf(id);
    return makeTerminalAnswer(kind, id, { attempt: this.#attempt(), amount });
  }

  /** Returns the kind of the requested payment, and now and then another kind. */
  #kindOf(id: string): PaymentKind {
    return this.#int(12) === 0 ? this.#oneOf(paymentKinds) : paymentKindOf(this.#disk, id);
  }

  #attempt(): string {
    return this.#oneOf(['a1', 'a1', 'a1', 'a2', 'a3']);
  }

  #amountOf(id: string): number {
    return this.#disk.payments.get(id)?.amount ?? 2_500;
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#int(values.length)] as Value;
  }
}
