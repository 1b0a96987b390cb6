import type { Note } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Timeouts } from '../../shared/timeouts.ts';
import type { AccountService } from '../accounts/service.ts';
import { type DebitLedger, debitEntry } from '../acquirer/debit-ledger.ts';
import { type Coming, Due } from '../engine/due.ts';
import type { Duties } from '../engine/duties.ts';
import { readAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import { type CardDirectory, isOwned } from '../saved-cards/card-directory.ts';
import type { DebitFacts } from '../saved-cards/debit-facts.ts';
import type { DebitLanes, DebitStep } from '../saved-cards/debit-lanes.ts';
import type { TestCard } from '../saved-cards/default/test-cards.ts';
import { findTestCard } from '../saved-cards/test-cards.ts';
import type { Owner } from '../store/ownership.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Change } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { refundEvent } from './refund-event.ts';
import { refuseRefund } from './refundability.ts';
import { refundableDebit } from './refundable-debit.ts';
import { type DebitRefunds, debitOfRefund, existing, readDue, refundsIn } from './rows.ts';
import type { RefundBody } from './schemas.ts';

/** A refund so like an earlier one, so soon after it, was probably meant to be the same. */
const repeatWithinMs = 3_600_000;

interface RefundParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  ledger: DebitLedger;
  directory: CardDirectory;
  lanes: DebitLanes;
  duties: Duties;
}

interface ComingRefund extends Coming {
  debitId: string;
}

/** Refunds of debits of saved cards (B82, B83, B85). */
export class RefundService {
  readonly #parts: RefundParts;
  #due: Due<ComingRefund>;

  private constructor(parts: RefundParts, due: Due<ComingRefund>) {
    this.#parts = parts;
    this.#due = due;
  }

  /** Takes up the refunds of a former process. */
  static async open(parts: RefundParts): Promise<RefundService> {
    const due = await Due.open({
      ...parts,
      name: 'refunds',
      read: async (tx, before) =>
        (await readDue(tx, before)).flatMap((refund) => comingOf(refund, parts.runtime.timeouts) ?? []),
      run: (refund) => service.#goOn(refund),
      warning: (id, error) => `refund ${id} could not be continued yet: ${error}`,
    });
    const service: RefundService = new RefundService(parts, due);
    return service;
  }

  /**
   * What of a debit was refunded and can be (B82).
   *
   * @throws ApiError debitNotFound, debitNotPaidByCreditCard
   */
  async summary(caller: Owner, debitId: string): Promise<DebitRefunds> {
    const { store, lanes } = this.#parts;
    return refundsIn(await refundableDebit(store, caller, debitId, await lanes.facts(debitId)));
  }

  /** The same for the operator. @throws ApiError debitNotFound */
  async ofDebit(debitId: string): Promise<DebitRefunds> {
    return refundsIn(existing(await this.#parts.lanes.facts(debitId)));
  }

  /**
   * Refunds a part or all of a debit. There is no idempotency: every call makes a refund of its own (B84).
   *
   * @throws ApiError invalidAmount, debitNotFound, debitNotPaidByCreditCard, debitNotRefundable,
   *   refundExceedsRefundableAmount
   */
  async create(caller: Owner, debitId: string, body: RefundBody): Promise<RefundRow> {
    const account = this.#parts.accounts.account(caller.accountId);
    const { store, lanes } = this.#parts;
    const { refund, former } = await lanes.turn(debitId, async (facts) => {
      // 400 comes before 404 (B116), but only the debit knows its currency for certain.
      const currency = facts && isOwned(facts.debit, caller) ? facts.debit.currency : account.currency;
      const amount = readAmount(body.amount, currency, 'amount');
      const own = await refundableDebit(store, caller, debitId, facts);
      refuseRefund(own.debit, amount, refundsIn(own).state);
      const refund = this.#refund(own.debit, amount, body, await this.#behaviour(own.debit));
      const former = own.refunds.findLast((earlier) => repeats(refund, earlier));
      return { ...stepTo(own, refund, [], { insert: 'refunds', row: refund }), result: { refund, former } };
    });
    this.#finish(refund);
    if (former) this.#warnOfRepeat(refund, former);
    return refund;
  }

  /**
   * Sends a refund to the customer's bank now.
   *
   * @throws ApiError notFound; conflict where it is not processing
   */
  submit(refundId: string): Promise<RefundRow> {
    return this.#act(refundId, async (facts, refund) => {
      if (refund.status !== 'processing') throw finished(refund);
      return this.#submit(facts, refund, await this.#behaviour(facts.debit), 'a test submitted it');
    });
  }

  /**
   * Lets a refund fail: while it is processed, or after its submission as a bank's rejection.
   *
   * @throws ApiError notFound; conflict where it has failed before (B85: failed is final)
   */
  fail(refundId: string, why: string): Promise<RefundRow> {
    return this.#act(refundId, (facts, refund) => {
      if (refund.status === 'failed') throw finished(refund);
      return this.#fail(facts, refund, why);
    });
  }

  /** Stops the deadlines: the next process continues with the open refunds. */
  stop(): void {
    this.#due.stop();
  }

  #refund(debit: DebitRow, amount: number, body: RefundBody, behaviour: TestCard['refund']): RefundRow {
    const { clock, identifiers, timeouts } = this.#parts.runtime;
    const now = clock.now();
    const failsAtOnce = behaviour === 'failsAtCreation';
    return {
      id: identifiers.next(),
      account_id: debit.account_id,
      environment: debit.environment,
      debit_id: debit.id,
      amount,
      currency: debit.currency,
      reason: body.reason,
      reason_details: body.reason_details ?? null,
      status: failsAtOnce ? 'failed' : 'processing',
      why: failsAtOnce ? "the debit's test card makes refunds fail when they are created" : 'it was created',
      created_at: now,
      due_at: failsAtOnce ? null : now + timeouts.refundSubmitMs,
      submitted_at: null,
      failed_at: failsAtOnce ? now : null,
    };
  }

  async #act(
    refundId: string,
    decide: (facts: DebitFacts, refund: RefundRow) => DebitStep<RefundRow> | Promise<DebitStep<RefundRow>>,
  ): Promise<RefundRow> {
    const id = refundId.toLowerCase();
    const debitId = await this.#parts.store.read((tx) => debitOfRefund(tx, id));
    if (debitId === undefined) throw new ApiError('notFound', { message: 'The refund does not exist' });
    const refund = await this.#parts.lanes.turn(debitId, (facts) =>
      decide(existing(facts), refundIn(existing(facts), id)),
    );
    return this.#finish(refund);
  }

  /** What happens to a refund by itself at its moment, where that is still the one that is stored. */
  async #goOn({ id, debitId, dueAt }: ComingRefund): Promise<void> {
    const changed = await this.#parts.lanes.turn(
      debitId,
      async (found): Promise<DebitStep<RefundRow | undefined>> => {
        const facts = existing(found);
        const refund = refundIn(facts, id);
        if (refund.due_at !== dueAt) return { facts, changes: [], entries: [], result: undefined };
        if (refund.status === 'submitted')
          return this.#fail(facts, refund, "the debit's test card lets the bank reject refunds");
        const behaviour = await this.#behaviour(facts.debit);
        if (behaviour === 'failsWhileProcessing')
          return this.#fail(
            facts,
            refund,
            "the debit's test card lets refunds fail while they are processed",
          );
        return this.#submit(facts, refund, behaviour, "it was sent to the customer's bank");
      },
    );
    if (changed) this.#finish(changed);
  }

  #submit(
    facts: DebitFacts,
    former: RefundRow,
    behaviour: TestCard['refund'],
    why: string,
  ): DebitStep<RefundRow> {
    const now = this.#parts.runtime.clock.now();
    const entries = [this.#parts.ledger.refund(facts.entries, subjectOf(former), former, why)];
    const rejected = behaviour === 'failsAfterSubmission';
    const due_at = rejected ? now + this.#parts.runtime.timeouts.refundRejectionMs : null;
    return moved(facts, former, { status: 'submitted', submitted_at: now, due_at, why }, entries);
  }

  /** Releases the amount (B85); what the issuer moved goes back. */
  #fail(facts: DebitFacts, former: RefundRow, why: string): DebitStep<RefundRow> {
    const entries =
      former.status === 'submitted'
        ? [this.#parts.ledger.return(facts.entries, subjectOf(former), former, why)]
        : [];
    const failed_at = this.#parts.runtime.clock.now();
    return moved(facts, former, { status: 'failed', failed_at, due_at: null, why }, entries);
  }

  /** What becomes of the refunds of a debit, by the card it was made with. */
  async #behaviour(debit: DebitRow): Promise<TestCard['refund']> {
    return findTestCard((await this.#parts.directory.cardOf(debit)).test_card)?.refund;
  }

  /** What follows once a change is on disk. */
  #finish(refund: RefundRow): RefundRow {
    const coming = comingOf(refund, this.#parts.runtime.timeouts);
    if (coming) this.#due.set(coming);
    else this.#due.clear(refund.id);
    return refund;
  }

  #warnOfRepeat({ id, debit_id }: RefundRow, former: RefundRow): void {
    const message = `refund ${id} repeats refund ${former.id}: this request has no idempotency, so money goes back twice; list a debit's refunds before retrying`;
    this.#parts.runtime.journal.add('warning', { message }, { payment: debit_id });
  }
}

/** What happens to a refund by itself, if anything does. */
function comingOf(
  { id, debit_id: debitId, status, due_at: dueAt }: Pick<RefundRow, 'id' | 'debit_id' | 'status' | 'due_at'>,
  { refundSubmitMs, refundRejectionMs }: Timeouts,
): ComingRefund | undefined {
  if (dueAt === null) return undefined;
  return { id, debitId, dueAt, fullMs: status === 'processing' ? refundSubmitMs : refundRejectionMs };
}

/** A refund moves on from the status that was decided on. */
function moved(
  facts: DebitFacts,
  former: RefundRow,
  set: Partial<RefundRow>,
  entries: readonly LedgerRow[],
): DebitStep<RefundRow> {
  const { id, status } = former;
  return stepTo(facts, { ...former, ...set }, entries, { update: 'refunds', where: { id, status }, set });
}

function stepTo(
  facts: DebitFacts,
  refund: RefundRow,
  entries: readonly LedgerRow[],
  change: Change,
): DebitStep<RefundRow> {
  return {
    facts: {
      ...facts,
      refunds: withRefund(facts.refunds, refund),
      entries: [...facts.entries, ...entries.map(debitEntry)],
    },
    changes: [change],
    entries,
    note: noteOf(refund),
    event: refundEvent(refund),
    result: refund,
  };
}

/** The oldest first: a new one is the latest. */
function withRefund(refunds: readonly RefundRow[], refund: RefundRow): readonly RefundRow[] {
  const at = refunds.findLastIndex(({ id }) => id === refund.id);
  return at < 0 ? [...refunds, refund] : refunds.with(at, refund);
}

function noteOf({ id, debit_id, status, amount, currency, why }: RefundRow): Note {
  const data = { refund: id, status, amount, currency, why };
  return { kind: 'refund.changed', data, about: { payment: debit_id } };
}

function refundIn({ refunds }: DebitFacts, id: string): RefundRow {
  const refund = refunds.find((each) => each.id === id);
  if (!refund) throw new ApiError('notFound', { message: 'The refund does not exist' });
  return refund;
}

function repeats(refund: RefundRow, former: RefundRow): boolean {
  return (
    former.status !== 'failed' &&
    former.amount === refund.amount &&
    former.reason === refund.reason &&
    former.reason_details === refund.reason_details &&
    refund.created_at - former.created_at < repeatWithinMs
  );
}

function finished({ status }: RefundRow): ApiError {
  return new ApiError('conflict', { message: `The refund is ${status}` });
}

function subjectOf({ debit_id: id, account_id: accountId, environment, currency }: RefundRow) {
  return { id, accountId, environment, currency };
}
