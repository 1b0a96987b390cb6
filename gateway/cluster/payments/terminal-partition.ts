import { KeyQueryBatcher } from '../../../shared/ask-together.ts';
import { findViolatedConstraint } from '../../../shared/database/violated-rule.ts';
import { closeCodes, LinkProtocolError } from '../../../shared/transport/link.ts';
import { displacementReasons } from '../../../shared/transport/numbered-dial.ts';
import type { KeyPartition, RefusedCommit } from '../../engine/partition.ts';
import type { GatewayPaymentOffer } from '../../payments/core/payment-offer.ts';
import { noPayment, restoreLostState, restoreOpenState } from '../../payments/core/states.ts';
import { type Input, makeStep, type Step } from '../../payments/core/step.ts';
import {
  currentPaymentSubject,
  type PaymentInputQueue,
} from '../../payments/moving/payment-engine-adapter.ts';
import {
  readUnfinishedPayments,
  restoreAcceptedState,
  restorePaymentOfOtherProcess,
  type UnfinishedPayment,
} from '../../payments/moving/recovery.ts';
import type { WaitEnd } from '../../payments/moving/waiters.ts';
import type { PaymentEngineMakerParts } from '../../payments/running.ts';
import type { RowChange } from '../../store/schema.ts';
import type { PoiServer } from '../../terminals/poi-server.ts';
import type { Cluster } from '../cluster.ts';
import type { TerminalTakenElsewhere } from '../ownership.ts';
import type { PaymentHint, PaymentHintBus } from './payment-hints.ts';
import {
  oneOpenPaymentConstraint,
  type RemoteTerminalPaymentAcceptor,
} from './remote-terminal-acceptance.ts';
import { type AbortColumns, RequestedAborts } from './requested-aborts.ts';

interface TerminalPartitionParts
  extends Pick<PaymentEngineMakerParts, 'runtime' | 'store' | 'terminals' | 'acquirer' | 'poi' | 'open'> {
  cluster: Cluster;
  turns: PaymentInputQueue;
  remoteAcceptance: RemoteTerminalPaymentAcceptor;
  paymentHints: PaymentHintBus;
}

/**
 * Decides which terminals this gateway runs if several gateways share its database. This gateway becomes the owner of
 * each terminal that dials it, and continues the terminal's open payments. It gives up a terminal if another gateway
 * becomes the terminal's owner. If this gateway wrongly believes that it owns a terminal, the database refuses its
 * changes (gateway/cluster/ownership.ts).
 */
export class TerminalPartition implements KeyPartition<Input, Step> {
  readonly #parts: TerminalPartitionParts;
  readonly #aborts: RequestedAborts;

  /** Reads the open payments of many terminals in one query, because thousands of terminals may dial at once. */
  readonly #left: KeyQueryBatcher<readonly UnfinishedPayment[]>;

  constructor(parts: TerminalPartitionParts) {
    this.#parts = parts;
    this.#aborts = new RequestedAborts(parts);
    const { cluster, acquirer } = parts;
    this.#left = new KeyQueryBatcher(async (ids) => {
      const left = await cluster.ownership.runFewAtOnce((db) =>
        readUnfinishedPayments(db, acquirer.ledger, ids),
      );
      const byTerminal = Map.groupBy(left, ({ row }) => row.terminal_id);
      return (id) => byTerminal.get(id) ?? [];
    });
  }

  isOurs(terminalId: string): boolean {
    return this.#parts.cluster.ownership.owns(terminalId);
  }

  /**
   * If a step changes or delivers a payment, gives a change to store with the step. With it, the database refuses the
   * step if this gateway no longer owns the terminal.
   */
  guard(terminalId: string, { records, effects }: Step): readonly RowChange[] {
    const matters = records.length > 0 || effects.some((effect) => effect.do === 'deliver');
    return matters ? [this.#parts.cluster.ownership.hold(terminalId)] : [];
  }

  /**
   * Makes this gateway the owner of a terminal that dialled or was deleted, before the input about the terminal is
   * handled. If the connection of a terminal that dialled has already ended, this gateway does not become the owner,
   * because another gateway may own the terminal by now.
   */
  claim(terminalId: string, { is }: Input): Promise<void> | undefined {
    if (is === 'linkUp') return this.#takeLinked(terminalId);
    if (is === 'terminalDeleted') return this.#take(terminalId);
    if (is === 'linkDown') this.#unlinked(terminalId);
    return undefined;
  }

  /**
   * Handles an input for a terminal that another gateway owns. A new payment is accepted here for the owner. A message
   * from the terminal is refused, so that the terminal sends the message to the owner.
   */
  async elsewhere(terminalId: string, input: Input): Promise<Step> {
    if (input.is === 'accepted') return this.#parts.remoteAcceptance.accept(input);
    if (input.is === 'terminalDeleted') {
      await this.#take(terminalId);
      return this.#parts.turns.take(terminalId, currentPaymentSubject, input);
    }
    if (!ofLink.has(input.is) || ('late' in input && input.late)) return makeStep(noPayment);
    throw new LinkProtocolError(...goingAway);
  }

  async learn(terminalId: string, { because, error }: RefusedCommit, { is }: Input): Promise<boolean> {
    if (because === 'version') {
      const lost = await this.#parts.cluster.ownership.lost(terminalId);
      if (lost) this.letGo(terminalId, lost);
      return is !== 'offered';
    }
    if (because !== 'constraint' || findViolatedConstraint(error) !== oneOpenPaymentConstraint) return false;
    await this.#adopt(terminalId, { deliver: true });
    return true;
  }

  /**
   * Reads the terminal's open payments from the database, and continues them. The terminal's messages are handled only
   * after this reading, because a message can be judged only if everything about its payment is known. So a payment
   * that another gateway offers after this reading has no ledger entries yet.
   */
  adopt(terminalId: string): Promise<void> {
    return this.#adopt(terminalId, { deliver: true });
  }

  /**
   * Takes over a terminal of a dead owner. This gateway treats the terminal's payments like those of its own terminals
   * after a restart (B65).
   */
  takeOver(terminalId: string, epoch: number | null): Promise<void> {
    return this.#parts.turns.turn(terminalId, async () => {
      const { ownership } = this.#parts.cluster;
      if (ownership.owns(terminalId) || !(await ownership.takeOver(terminalId, epoch))) return;
      this.#listen(terminalId);
      await this.#orLetGo(terminalId, () => this.#adopt(terminalId, { ofTheDead: true, deliver: true }));
    });
  }

  /**
   * Handles what other gateways stored for a terminal of this gateway. If a message offers a payment, this gateway
   * begins the payment from the message, and reads the payment's row only if that is not possible.
   */
  handleStored(terminalId: string, offer?: GatewayPaymentOffer): Promise<void> {
    return this.#parts.turns.turn(terminalId, async () => {
      if (offer?.terminal_id === terminalId && (await this.#takeUp(offer))) return;
      if (this.isOurs(terminalId)) await this.#adopt(terminalId, { deliver: true });
    });
  }

  /**
   * Checks whether this gateway still owns a terminal. If another gateway owns it, this gateway closes its connection
   * to the terminal, so that the terminal dials again. This is needed because the terminal may have no connection to
   * its new owner yet.
   */
  verify(terminalId: string): Promise<void> {
    const { turns, cluster, poi } = this.#parts;
    return turns.turn(terminalId, async () => {
      if (!this.isOurs(terminalId)) return poi.drop(terminalId, ...goingAway);
      const lost = await cluster.ownership.lost(terminalId);
      if (lost) this.letGo(terminalId, lost);
    });
  }

  /** Returns whether this gateway has already begun everything that other gateways requested for an open payment. */
  isAt(row: AbortColumns): boolean {
    return this.#parts.open.byId(row.payment_id).is !== 'none' && !this.#aborts.isPending(row);
  }

  /**
   * Sends news about a payment to the gateways that asked for it. An error is ignored. It means that the
   * acknowledgement of an abort could not be stored. The request for the abort then waits until its time limit.
   */
  readonly told = (paymentId: string, woken: WaitEnd): void => {
    this.#aborts.tell(paymentId, woken).catch(() => {});
  };

  /**
   * Gives up all terminals, because the other gateways declared this one dead. If too many inputs wait for a terminal,
   * this gateway gives up the terminal without waiting for a turn. The database refuses the changes of those inputs.
   */
  letAllGo(): void {
    const { cluster, turns } = this.#parts;
    for (const id of cluster.ownership.owned) {
      const letGo = async () => this.letGo(id, { linked: false });
      turns.turn(id, letGo).catch(letGo);
    }
  }

  #listen(terminalId: string): void {
    this.#parts.paymentHints.owns(terminalId, (hint) => this.#onHint(terminalId, hint));
  }

  async #onHint(terminalId: string, hint: PaymentHint): Promise<void> {
    if (!hint) return this.verify(terminalId);
    const { payment, abort, offer } = hint;
    const runs = () => this.#parts.open.byId(payment).is !== 'none';
    if (abort || !runs()) await this.handleStored(terminalId, offer);
    if (!runs()) this.#parts.paymentHints.tell(payment, true);
  }

  /**
   * Begins a payment that was offered in a message. Returns false if the payment cannot be delivered, or if the stored
   * payment now differs from the offer.
   */
  async #takeUp(offer: GatewayPaymentOffer): Promise<boolean> {
    const { turns, open, terminals, runtime } = this.#parts;
    const { id, terminal_id: terminalId } = offer;
    if (!this.isOurs(terminalId)) return false;
    const payment = restorePaymentOfOtherProcess(offer, terminals.byId(terminalId), runtime.clock);
    try {
      await turns.take(terminalId, id, { is: 'offered', offer, payment });
    } catch {
      return false;
    }
    return open.byId(id).is !== 'none';
  }

  /**
   * Continues a terminal's open payments, except those that are already in memory. Also carries out the aborts that
   * other gateways requested.
   */
  async #adopt(terminalId: string, how: { ofTheDead?: boolean; deliver: boolean }): Promise<void> {
    const { terminals, runtime, open, turns, poi } = this.#parts;
    const { clock } = runtime;
    for (const left of await this.#left.about(terminalId)) {
      const { row } = left;
      if (open.byId(row.id).is === 'none') {
        const as = restoreAcceptedState(left, terminals, clock);
        const at = { now: clock.now(), monotonic: clock.monotonic() };
        open.install(noPayment, how.ofTheDead ? restoreOpenState(row, as) : restoreLostState(row, as, at));
        await turns.take(terminalId, row.id, { is: 'recovered', deadlineAt: row.deadline_at });
        if (how.deliver && row.delivered_at === null && poi.isConnected(terminalId))
          await turns.take(terminalId, row.id, { is: 'linkUp' });
      }
      if (this.#aborts.isPending(row))
        await this.#aborts.carryOut(row, () => turns.take(terminalId, row.id, { is: 'abortAsked' }));
    }
  }

  /**
   * Gives up a terminal that another gateway owns, and forgets the terminal's payments. If the terminal is connected to
   * this gateway, the connection is closed.
   */
  letGo(terminalId: string, { linked, by }: TerminalTakenElsewhere): void {
    const { poi } = this.#parts;
    this.#disown(terminalId);
    if (linked) poi.displace(terminalId, by);
    else poi.drop(terminalId, ...goingAway);
  }

  /**
   * Makes this gateway the owner of a terminal that is connected. If the terminal's connection has ended, this gateway
   * does not become the owner, because another gateway may own the terminal by now.
   */
  #takeLinked(terminalId: string): Promise<void> | undefined {
    const connection = this.#parts.poi.connectionOf(terminalId);
    return connection?.link.open ? this.#take(terminalId, connection) : undefined;
  }

  async #take(terminalId: string, connection?: ReturnType<PoiServer['connectionOf']>): Promise<void> {
    await this.#orLetGo(terminalId, async () => {
      const taken = await this.#parts.cluster.ownership.take(terminalId, connection?.dial);
      if (taken === 'stale') {
        this.#disown(terminalId);
        return connection?.link.close(closeCodes.displaced, displacementReasons.yours);
      }
      if (taken === 'new') this.#forget(terminalId);
      // This gateway listens for messages before it reads the database. If another gateway stores something after the
      // reading, a message about it arrives. So this gateway misses nothing.
      this.#listen(terminalId);
      await this.#adopt(terminalId, { deliver: false });
    });
  }

  #disown(terminalId: string): void {
    const { cluster, paymentHints } = this.#parts;
    paymentHints.lost(terminalId);
    this.#forget(terminalId);
    cluster.ownership.forget(terminalId);
  }

  /** Forgets the payments of a terminal. A request that waits for such a payment still gets the answer 303 in time. */
  #forget(terminalId: string): void {
    const { open, turns, paymentHints } = this.#parts;
    for (const state of open.ofTerminal(terminalId)) {
      const { id: paymentId } = state.payment;
      open.install(state, noPayment);
      this.#aborts.forget(paymentId);
      paymentHints.tell(paymentId, true);
      turns.perform([{ do: 'disarm', paymentId, timers: ['giveUp', 'ask', 'retry'] }]);
    }
    turns.perform([{ do: 'watch', terminalId, paying: false }]);
  }

  /**
   * Runs `work`. If `work` fails, gives up the terminal, so that the terminal dials again. A gateway that cannot read a
   * terminal's payments must not own the terminal.
   */
  async #orLetGo(terminalId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.letGo(terminalId, { linked: false });
      throw error;
    }
  }

  #unlinked(terminalId: string): void {
    const { poi, cluster } = this.#parts;
    // An error is ignored. The other gateways then see the terminal as connected until it dials again, which does no
    // harm.
    if (!poi.isConnected(terminalId)) cluster.ownership.unlinked(terminalId).catch(() => {});
  }
}

/**
 * The inputs that a terminal sends over its connection. A gateway that does not own the terminal does not acknowledge
 * these inputs, so the terminal sends them again to its owner.
 */
const ofLink = new Set<Input['is']>(['hostAsked', 'answered', 'repeated', 'inProgress', 'notFound']);

const goingAway = [closeCodes.goingAway, 'another gateway owns this terminal: connect again'] as const;
