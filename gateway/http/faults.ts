import { z } from 'zod';
import type { Identifiers } from '../../shared/random.ts';
import { anyKind } from './faults/kinds.ts';

/** What a database can count. */
const mostRequests = 2_147_483_647;

const which = {
  method: z
    .enum(['GET', 'POST', 'PUT'])
    .optional()
    .meta({ description: 'Affects requests with this method; any by default' }),
  path: z
    .string()
    .regex(/^\/(?!control(\/|$))[^?#]*$/, 'must be a path outside /control, without a query')
    .max(300)
    .optional()
    .meta({
      description: 'Affects requests to this path, where {name} matches any one segment; any by default',
      example: '/terminals/{terminalId}/payment-request',
    }),
  accountId: z.string().optional().meta({ description: "Only with this account's tokens" }),
  after: z
    .int()
    .min(0)
    .max(mostRequests)
    .default(0)
    .meta({ description: 'How many requests it lets through first' }),
  times: z
    .int()
    .min(1)
    .max(mostRequests)
    .nullable()
    .default(1)
    .meta({ description: 'How many requests it affects; null for all until it is cleared' }),
};

/** What goes wrong between the gateway and its clients, as requested. */
export const faultInput = anyKind(which).meta({ id: 'FaultInput' });
type FaultInput = z.output<typeof faultInput>;

export const fault = anyKind({ id: z.uuid(), ...which }).meta({
  id: 'Fault',
  description: 'A fault, and how many requests it still affects',
});
export type Fault = z.output<typeof fault>;

/** What came of a request for a fault: the fault let it through, met it, so that it is used up or has some left, or was used up before. */
export type Use = 'letThrough' | 'gone' | { times: number | null };

/** Where the faults of several gateways are counted. */
export interface FaultCounts {
  /** Gives its place: those that were set later have a greater one, at whichever gateway. */
  keep(fault: Fault): Promise<number>;
  /** Gives how many of them there were. */
  drop(ids: readonly string[]): Promise<number>;
  /** Counts a request that is for a fault; see {@link Use}. */
  use(fault: Fault): Promise<Use>;
}

/** Faults that tests have set for requests to come. In memory: a gateway of its own starts without any. */
export class Faults {
  readonly #identifiers: Identifiers;
  readonly #counts: FaultCounts | undefined;
  readonly #set = new Map<string, { fault: Fault; place: number }>();
  #added = 0;

  /** With `counts` they are those of several gateways, and {@link install} says what the others did. */
  constructor(identifiers: Identifiers, counts?: FaultCounts) {
    this.#identifiers = identifiers;
    this.#counts = counts;
  }

  /** In the order they were set. */
  list(): readonly Fault[] {
    const inOrder = [...this.#set.values()].sort((one, other) => one.place - other.place);
    return inOrder.map(({ fault }) => fault);
  }

  async add(input: FaultInput): Promise<Fault> {
    const made = { ...input, id: this.#identifiers.next() };
    this.install(made, (await this.#counts?.keep(made)) ?? ++this.#added);
    return made;
  }

  /** A fault as it is now. */
  install(fault: Fault, place: number): void {
    this.#set.set(fault.id, { fault, place });
  }

  /** A fault is no more. */
  forget(id: string): void {
    this.#set.delete(id);
  }

  /** Clears the one of that id, or those of an account, or all; gives how many there were. */
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

  /** The first fault for this request that does not let it through, used up by it; undefined where all goes well. */
  async take(request: {
    method: string;
    path: string;
    accountId: string | undefined;
  }): Promise<Fault | undefined> {
    for (const { id } of this.list().filter((one) => isFor(one, request))) {
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

function isFor(
  set: Fault,
  request: { method: string; path: string; accountId: string | undefined },
): boolean {
  return (
    (set.method === undefined || set.method === request.method) &&
    (set.accountId === undefined || set.accountId === request.accountId) &&
    (set.path === undefined || isLike(set.path, request.path))
  );
}

function isLike(pattern: string, path: string): boolean {
  const [wanted, segments] = [pattern.split('/'), (path.split('?')[0] ?? '').split('/')];
  return (
    wanted.length === segments.length &&
    wanted.every((part, index) => /^\{\w+\}$/.test(part) || part === segments[index])
  );
}
