import type { Identifiers } from '../../shared/random.ts';
import { type EventToSend, isForEvent, isForRequest, type Request } from './aim.ts';

/** Something that a test makes go wrong. The further fields depend on the kind. */
export interface Fault extends Partial<Omit<Request, 'accountId'>>, Partial<EventToSend> {
  readonly id: string;
  readonly fault: string;
  readonly after: number;
  readonly times: number | null;
}

/** The result of a fault for a request or event: it let it through; met it, with the times that are left; or was used up before. */
export type Use = 'letThrough' | 'gone' | { times: number | null };

/** Counts the faults of several gateways. */
export interface FaultCounts {
  /** Stores a fault and gives its place. Faults that were set later have a greater place, at whichever gateway. */
  keep(fault: Fault): Promise<number>;
  /** Removes faults, and gives how many of them there were. */
  drop(ids: readonly string[]): Promise<number>;
  /** Counts a request or event that is for a fault; see {@link Use}. */
  use(fault: Fault): Promise<Use>;
}

/** Faults that tests have set for requests and events to come. In memory: a gateway of its own starts without any. */
export class Faults {
  readonly #identifiers: Identifiers;
  readonly #counts: FaultCounts | undefined;
  readonly #set = new Map<string, { fault: Fault; place: number }>();
  #added = 0;

  /** With `counts` they belong to several gateways, and {@link install} says what other gateways did. */
  constructor(identifiers: Identifiers, counts?: FaultCounts) {
    this.#identifiers = identifiers;
    this.#counts = counts;
  }

  /** In the order they were set. */
  list(): readonly Fault[] {
    const inOrder = [...this.#set.values()].sort((one, other) => one.place - other.place);
    return inOrder.map(({ fault }) => fault);
  }

  async add(input: Omit<Fault, 'id'>): Promise<Fault> {
    const made = { ...input, id: this.#identifiers.next() };
    this.install(made, (await this.#counts?.keep(made)) ?? ++this.#added);
    return made;
  }

  /** A fault as it is now. */
  install(fault: Fault, place: number): void {
    this.#set.set(fault.id, { fault, place });
  }

  /** Forgets a fault that is gone. */
  forget(id: string): void {
    this.#set.delete(id);
  }

  /** Clears the fault with that id, or those of an account, or all. Gives how many there were. */
  async clear(of: { id?: string; accountId?: string } = {}): Promise<number> {
    const those = this.list().filter(
      ({ id, accountId }) =>
        (of.id === undefined || of.id === id) && (of.accountId === undefined || of.accountId === accountId),
    );
    const ids = those.map(({ id }) => id);
    const cleared = this.#counts && ids.length > 0 ? await this.#counts.drop(ids) : ids.length;
    for (const id of ids) this.forget(id);
    return cleared;
  }

  get any(): boolean {
    return this.#set.size > 0;
  }

  /**
   * The first fault of these kinds that affects this request, which is counted as used; undefined if nothing goes
   * wrong.
   */
  takeForRequest(request: Request, kinds: ReadonlySet<string>): Promise<Fault | undefined> {
    return this.#take((fault) => kinds.has(fault.fault) && isForRequest(fault, request));
  }

  /** The first fault of these kinds that affects this event. */
  takeForEvent(event: EventToSend, kinds: ReadonlySet<string>): Promise<Fault | undefined> {
    return this.#take((fault) => kinds.has(fault.fault) && isForEvent(fault, event));
  }

  async #take(isFor: (fault: Fault) => boolean): Promise<Fault | undefined> {
    for (const { id } of this.list().filter(isFor)) {
      const found = this.#set.get(id)?.fault; // the database was asked meanwhile
      if (!found) continue;
      if (found.after === 0 && found.times === null) return found;
      const use = this.#counts ? await this.#counts.use(found) : this.#useHere(id);
      if (use === 'gone') this.forget(id); // another gateway was faster
      if (typeof use === 'string') continue;
      if (use.times === 0) this.forget(id);
      return found;
    }
    return undefined;
  }

  #useHere(id: string): Use {
    const set = this.#set.get(id);
    if (!set) return 'gone';
    const { after, times } = set.fault;
    const left = after > 0 ? { after: after - 1 } : { times: times === null ? null : times - 1 };
    this.#set.set(id, { ...set, fault: { ...set.fault, ...left } });
    return after > 0 ? 'letThrough' : { times: left.times ?? null };
  }
}
