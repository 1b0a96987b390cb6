import type { IdentifierGenerator } from '../../shared/random.ts';
import {
  affectsEvent,
  affectsRequest,
  type EventTargetProperties,
  type RequestTargetProperties,
} from './fault-target.ts';

/** A fault that a test has set. The other fields of a fault depend on its kind. */
export interface Fault
  extends Partial<Omit<RequestTargetProperties, 'accountId'>>,
    Partial<EventTargetProperties> {
  readonly id: string;
  readonly fault: string;
  readonly after: number;
  readonly times: number | null;
}

/**
 * The effect of a fault on a request or event. `letThrough`: the fault does not affect this request or event, because
 * it affects only later ones. `gone`: the fault is already used up. In any other case, the fault affects this request
 * or event. `times` is then the number of further requests or events that the fault affects; null if there is no
 * limit.
 */
export type FaultUseResult = 'letThrough' | 'gone' | { times: number | null };

/** Counts how often a fault was used at all gateways together. */
export interface SharedFaultStore {
  /** Stores a fault. Gives a number that orders the faults of all gateways by the time when they were set. */
  keep(fault: Fault): Promise<number>;
  /** Removes faults. Gives the number of faults that were removed. */
  drop(ids: readonly string[]): Promise<number>;
  /** Counts a request or event that the fault may affect. Gives what the fault does to it. */
  use(fault: Fault): Promise<FaultUseResult>;
}

/**
 * The faults that tests have set for future requests and events. A lone gateway keeps its faults only in memory, so it
 * has no faults after a start.
 */
export class Faults {
  readonly #identifiers: IdentifierGenerator;
  readonly #counts: SharedFaultStore | undefined;
  readonly #set = new Map<string, { fault: Fault; place: number }>();
  #added = 0;

  /**
   * If `counts` is given, the gateways share their faults. {@link install} and {@link forget} are then called for
   * faults that other gateways have set or removed.
   */
  constructor(identifiers: IdentifierGenerator, counts?: SharedFaultStore) {
    this.#identifiers = identifiers;
    this.#counts = counts;
  }

  /** Gives the faults in the order in which they were set. */
  list(): readonly Fault[] {
    const inOrder = [...this.#set.values()].sort((one, other) => one.place - other.place);
    return inOrder.map(({ fault }) => fault);
  }

  async add(input: Omit<Fault, 'id'>): Promise<Fault> {
    const made = { ...input, id: this.#identifiers.next() };
    this.install(made, (await this.#counts?.keep(made)) ?? ++this.#added);
    return made;
  }

  /** Adds a fault. If a fault with the same id exists, replaces that fault's state. */
  install(fault: Fault, place: number): void {
    this.#set.set(fault.id, { fault, place });
  }

  /** Forgets a fault that was removed or used up. */
  forget(id: string): void {
    this.#set.delete(id);
  }

  /** Removes one fault by its id, the faults of an account, or all faults. Gives the number of removed faults. */
  async clear(of: { id?: string; accountId?: string } = {}): Promise<number> {
    const wanted = this.list().filter(
      ({ id, accountId }) =>
        (of.id === undefined || of.id === id) && (of.accountId === undefined || of.accountId === accountId),
    );
    const ids = wanted.map(({ id }) => id);
    const cleared = this.#counts && ids.length > 0 ? await this.#counts.drop(ids) : ids.length;
    for (const id of ids) this.forget(id);
    return cleared;
  }

  /** Returns whether any fault is set. */
  get hasAny(): boolean {
    return this.#set.size > 0;
  }

  /**
   * Finds the first fault of these kinds that affects the request, and counts the use of the fault. Gives undefined if
   * no fault affects the request.
   */
  takeForRequest(request: RequestTargetProperties, kinds: ReadonlySet<string>): Promise<Fault | undefined> {
    return this.#take((fault) => kinds.has(fault.fault) && affectsRequest(fault, request));
  }

  /** Finds the first fault of these kinds that affects the event, and counts the use of the fault. */
  takeForEvent(event: EventTargetProperties, kinds: ReadonlySet<string>): Promise<Fault | undefined> {
    return this.#take((fault) => kinds.has(fault.fault) && affectsEvent(fault, event));
  }

  async #take(isFor: (fault: Fault) => boolean): Promise<Fault | undefined> {
    for (const { id } of this.list().filter(isFor)) {
      // The fault may have changed while the database counted the use of an earlier fault in the list.
      const found = this.#set.get(id)?.fault;
      if (!found) continue;
      if (found.after === 0 && found.times === null) return found;
      const use = this.#counts ? await this.#counts.use(found) : this.#useHere(id);
      if (use === 'gone') this.forget(id); // another gateway used the fault up
      if (typeof use === 'string') continue;
      if (use.times === 0) this.forget(id);
      return found;
    }
    return undefined;
  }

  #useHere(id: string): FaultUseResult {
    const set = this.#set.get(id);
    if (!set) return 'gone';
    const { after, times } = set.fault;
    const left = after > 0 ? { after: after - 1 } : { times: times === null ? null : times - 1 };
    this.#set.set(id, { ...set, fault: { ...set.fault, ...left } });
    return after > 0 ? 'letThrough' : { times: left.times ?? null };
  }
}
