import type { KeyedTaskQueue } from '../../shared/lanes.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import type { StoreParts } from '../store/store.ts';
import { type AmountEndingRefusals, defaultAmountEndingRefusals } from './amount-endings.ts';
import type { HostDecisionFacts } from './host.ts';
import { Ledger } from './ledger.ts';
import { type OutcomeRuleFacts, wrongPinReason } from './outcome-rules.ts';
import { PresetOutcomes } from './outcomes.ts';

/**
 * Says for a terminal whether the ending of an amount decides the answer, and whether this setting comes from the
 * account or from the terminal.
 */
type MagicAmounts = (terminalId: string) => OutcomeRuleFacts['magicAmounts'];

interface AcquirerParts extends StoreParts {
  magicAmounts: MagicAmounts;
  /**
   * Further endings of amounts for this gateway. If one of these endings equals a usual ending, it replaces the usual
   * ending.
   */
  amountEndings: AmountEndingRefusals | undefined;
  lanes: KeyedTaskQueue;
  /**
   * Returns the terminal of a payment. A change of the payment's outcome waits in the queue of inputs of this terminal.
   */
  laneOf(paymentId: string): string;
  copies: MemoryCopyUpdater;
}

/**
 * The acquirer's host, with its ledger, the outcomes that are set, and the endings of amounts. The code in host.ts
 * makes the host's decisions.
 */
export class Acquirer {
  readonly outcomes: PresetOutcomes;
  readonly ledger: Ledger;
  /** The endings of amounts that cause refusals. */
  readonly amountEndings: AmountEndingRefusals;
  readonly #runtime: Runtime;
  readonly #magicAmounts: MagicAmounts;

  private constructor(outcomes: PresetOutcomes, parts: AcquirerParts) {
    this.#runtime = parts.runtime;
    this.outcomes = outcomes;
    this.ledger = new Ledger(parts.runtime);
    this.#magicAmounts = parts.magicAmounts;
    this.amountEndings = { ...defaultAmountEndingRefusals, ...parts.amountEndings };
  }

  static async open(parts: AcquirerParts): Promise<Acquirer> {
    return new Acquirer(await PresetOutcomes.open(parts), parts);
  }

  /** Returns the data that the host needs for a decision at this moment. */
  facts(terminalId: string, paymentId: string | undefined): HostDecisionFacts {
    return {
      now: this.#runtime.clock.now(),
      dice: this.ledger.dice,
      outcomes: {
        payment: paymentId === undefined ? undefined : this.outcomes.plannedFor(paymentId),
        terminal: this.outcomes.plannedFor(terminalId),
      },
      magicAmounts: this.#magicAmounts(terminalId),
      amountEndings: this.amountEndings,
    };
  }

  /**
   * Says why the terminal must treat every PIN of a payment as wrong. Returns undefined if the terminal need not do so.
   */
  pinRule(terminalId: string, amount: number, currency: string): string | undefined {
    return wrongPinReason(
      {
        terminalOutcome: this.outcomes.plannedFor(terminalId)?.outcome,
        amount,
        currency,
        magicAmounts: this.#magicAmounts(terminalId),
      },
      this.amountEndings,
    );
  }
}
