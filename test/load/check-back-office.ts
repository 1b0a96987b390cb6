import { delay, systemClock } from '../../shared/clock.ts';
import type { BackOffice, CreationKind, CreationRequest, FollowUpRequest } from './back-office.ts';
import type { Violation } from './check.ts';
import { checkDebit, type Debit } from './check-debit.ts';
import { type CreatedResources, type Credit, checkEvents, type StoredEvent } from './check-events.ts';
import { callControl, controlList } from './control.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';
import type { World } from './world.ts';

export interface BackOfficeFindings {
  violations: Violation[];
  made: CreatedResources;
}

/**
 * After each round, checks what the back office did against the rules. Also remembers the debits that earlier rounds
 * left.
 */
export class BackOfficeCheck {
  #world: World;
  #receiver: WebhookReceiver;
  #last: { debit?: string; credit?: string; event?: string } = {};
  /** The identifiers of all events so far. */
  #known = new Set<string>();
  /** The debits of earlier rounds, as those rounds left them. */
  #left: { id: string; text: string }[] = [];

  constructor(world: World, receiver: WebhookReceiver) {
    this.#world = world;
    this.#receiver = receiver;
  }

  /** Waits for the last changes, and then checks what the back office did. */
  async check(office: readonly BackOffice[], again: (below: number) => number): Promise<BackOfficeFindings> {
    const made = await this.#settled();
    const orders = office.flatMap((backOffice) => backOffice.orders);
    const actions = office.flatMap((backOffice) => backOffice.actions);
    const complaints = [
      ...office.flatMap((backOffice) => backOffice.complaints),
      ...this.#receiver.complaints,
    ];
    for (const { id } of made.events) this.#known.add(id);
    const violations: Violation[] = [
      ...complaints.map((detail) => ({ rule: 'every request is answered, and clearly', detail })),
      ...ordersHold(orders, made),
      ...actionsHold(actions, made),
      ...(await Promise.all(made.debits.map((debit) => checkDebit(this.#world, debit)))).flat(),
      ...checkEvents(made, this.#receiver.taken, this.#known),
      ...(await this.#earlierStand(again)),
    ];
    this.#last = {
      ...this.#last,
      ...latest('debit', made.debits.at(-1)),
      ...latest('credit', made.credits.at(-1)),
      ...latest('event', made.events.at(-1)),
    };
    this.#left.push(...made.debits.map((debit) => ({ id: debit.id, text: JSON.stringify(debit) })));
    return { violations, made };
  }

  /** Waits for the last changes, up to a time limit. A change that comes after the limit is reported as lost. */
  async #settled(): Promise<CreatedResources> {
    const untilMs = Date.now() + this.#world.answerLimitMs;
    for (;;) {
      const made = await this.#made();
      const refunds = made.debits.flatMap(({ refunds }) => refunds);
      const pending = await callControl<unknown[]>(
        this.#world,
        '/control/webhook-deliveries?state=pending&limit=1',
      );
      const taken = new Set(this.#receiver.taken.map(({ id }) => id));
      const over =
        refunds.every(({ dueAt }) => dueAt === null) &&
        pending.length === 0 &&
        made.events.every(({ id }) => taken.has(id));
      if (over || Date.now() > untilMs) return made;
      await delay(systemClock, 50);
    }
  }

  async #made(): Promise<CreatedResources> {
    const { debit, credit, event } = this.#last;
    const debits = await controlList<{ id: string }>(this.#world, '/control/debits', debit);
    const credits = await controlList<Credit>(this.#world, '/control/credits', credit);
    const explained = await Promise.all(
      debits.map(({ id }) => callControl<Debit>(this.#world, `/control/debits/${id}`)),
    );
    const events = await controlList<StoredEvent>(this.#world, '/control/events', event);
    return { debits: explained.reverse(), credits: credits.reverse(), events: events.reverse() };
  }

  async #earlierStand(again: (below: number) => number): Promise<Violation[]> {
    if (this.#left.length === 0) return [];
    const asked = Array.from({ length: 5 }, () => this.#left[again(this.#left.length)]);
    const violations: Violation[] = [];
    for (const { id, text } of asked.filter((each) => each !== undefined)) {
      const now = JSON.stringify(await callControl<Debit>(this.#world, `/control/debits/${id}`));
      if (now !== text)
        violations.push({ rule: 'what has settled stays', ids: [id], detail: `${text}\nis now\n${now}` });
    }
    return violations;
  }
}

function latest(of: 'debit' | 'credit' | 'event', made: { id: string } | undefined) {
  return made && { [of]: made.id };
}

interface Thing {
  id: string;
  mark: string | null;
  amount: number;
  /** The debit that was refunded. */
  of?: string;
}

/** Returns all resources of the same kind as the one that a request creates. */
function madeBy(kind: CreationKind, { debits, credits }: CreatedResources): Thing[] {
  if (kind === 'credit') return credits.map(({ id, statement, amount }) => ({ id, mark: statement, amount }));
  if (kind === 'refund')
    return debits.flatMap(({ id: of, refunds }) =>
      refunds.map(({ id, reasonDetails, amount }) => ({ id, mark: reasonDetails, amount, of })),
    );
  return debits
    .filter(({ flow }) => flow === kind)
    .map(({ id, statement, amount }) => ({ id, mark: statement, amount }));
}

/**
 * Checks that every answered request created one debit, refund or credit, that every unanswered request created at most
 * one, and that there are no others.
 */
function ordersHold(orders: readonly CreationRequest[], made: CreatedResources): Violation[] {
  const violations: Violation[] = [];
  for (const kind of ['charge', 'preauthorize', 'refund', 'credit'] as const) {
    const found = Map.groupBy(madeBy(kind, made), ({ mark }) => mark);
    for (const order of orders.filter((each) => each.kind === kind)) {
      const { mark, status, id, amount, debitId } = order;
      const own = found.get(mark) ?? [];
      found.delete(mark);
      const ids = [...own.map((each) => each.id), ...(id === undefined ? [] : [id])];
      const broken = (rule: string) =>
        violations.push({ rule, ids, detail: JSON.stringify({ order, found: own }) });
      const makes = status !== undefined && status !== 503 && !(kind === 'refund' && status === 422);
      if (own.length > 1) broken('one request makes one thing');
      if (makes && own.length === 0) broken('what was answered is there');
      if (status !== undefined && !makes && own.length > 0) broken('what was refused does not exist');
      const [only] = own;
      if (!only) continue;
      if (Math.round(only.amount * 100) !== amount) broken('it is of the amount asked for');
      if (id !== undefined && only.id !== id) broken('it is what the answer called it');
      if (only.of !== debitId) broken('it is where it was asked for');
    }
    for (const strange of [...found.values()].flat())
      violations.push({
        rule: 'nothing exists that was not requested',
        ids: [strange.id],
        detail: JSON.stringify(strange),
      });
  }
  return violations;
}

/**
 * Checks that every action that was answered with success has happened, and that only one of two conflicting actions
 * succeeded.
 */
function actionsHold(
  actions: readonly FollowUpRequest[],
  { debits, credits }: CreatedResources,
): Violation[] {
  return actions.flatMap((action): Violation[] => {
    const { what, of, status, visitEnd } = action;
    const debit = debits.find(({ id }) => id === of);
    const credit = credits.find(({ id }) => id === of);
    const refund = debits.flatMap(({ refunds }) => refunds).find(({ id }) => id === of);
    const holds = (): boolean => {
      if (what === 'visit') return visitHolds(action, credit?.state);
      if (status !== 200) return what !== 'capture' || status !== 402 || debit?.state === 'failed';
      if (what === 'fail') return refund?.status === 'failed';
      if (what === 'expire') return debit ? debit.state === 'voided' : credit?.state === 'expired';
      const captures = actions.filter((each) => each.what === what && each.of === of && each.status === 200);
      return debit?.state === 'paid' && captures.length === 1;
    };
    if (holds()) return [];
    const now = debit?.state ?? credit?.state ?? refund?.status ?? 'nowhere';
    const detail = `${JSON.stringify(action)} ${visitEnd ?? ''}: it is ${now}`;
    return [{ rule: 'what was reported is true', ids: [of], detail }];
  });
}

/**
 * Checks that what a customer saw at the end of a visit agrees with the credit. If the acceptance got no answer, the
 * gateway may have carried it out or not.
 */
function visitHolds(
  { visitEnd, accepted, refused }: FollowUpRequest,
  state: Credit['state'] | undefined,
): boolean {
  const end = refused ? 'failed' : 'completed';
  if (visitEnd === 'paid' || visitEnd === 'refused' || visitEnd === 'gone')
    return accepted === true && state === end;
  return state === 'initiated' || (accepted === true && state === end);
}
