import { z } from 'zod';
import type { Identifiers } from '../../shared/random.ts';

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
  times: z
    .int()
    .min(1)
    .nullable()
    .default(1)
    .meta({ description: 'How many requests it affects; null for all until it is cleared' }),
};

const kinds = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.discriminatedUnion('fault', [
    z.object({
      ...shape,
      fault: z
        .literal('dropRequest')
        .meta({ description: 'The connection breaks, and the request is not executed' }),
    }),
    z.object({
      ...shape,
      fault: z
        .literal('dropAnswer')
        .meta({ description: 'The request is executed, and the connection breaks instead of the answer' }),
    }),
    z.object({
      ...shape,
      fault: z.literal('delayAnswer').meta({ description: 'The request is executed, and answered later' }),
      delayMs: z.int().min(1).max(600_000).meta({ description: "By the gateway's clock" }),
    }),
    z.object({
      ...shape,
      fault: z
        .literal('failAnswer')
        .meta({ description: 'The request is executed, and answered with a 5xx' }),
      status: z.literal([500, 502, 503, 504]).default(503),
    }),
  ]);

/** What goes wrong between the gateway and its clients, as requested. */
export const faultInput = kinds(which).meta({ id: 'FaultInput' });
type FaultInput = z.output<typeof faultInput>;

export const fault = kinds({ id: z.uuid(), ...which }).meta({
  id: 'Fault',
  description: 'A fault, and how many requests it still affects',
});
export type Fault = z.output<typeof fault>;

/** Where the faults of several gateways are counted. */
export interface FaultCounts {
  /** Gives its place: those that were set later have a greater one, at whichever gateway. */
  keep(fault: Fault): Promise<number>;
  /** Gives how many of them there were. */
  drop(ids: readonly string[]): Promise<number>;
  /** Uses up one of a fault's times; gives how many are left, undefined where there was none. */
  use(id: string): Promise<number | undefined>;
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

  /** The first fault that is for this request, used up by it; undefined where all goes well. */
  async take(request: {
    method: string;
    path: string;
    accountId: string | undefined;
  }): Promise<Fault | undefined> {
    for (;;) {
      const found = this.list().find((one) => isFor(one, request));
      if (!found || found.times === null) return found;
      const left = this.#counts ? await this.#counts.use(found.id) : this.#useHere(found.id);
      if (!left) this.forget(found.id);
      if (left !== undefined) return found; // else another gateway was faster
    }
  }

  #useHere(id: string): number | undefined {
    const set = this.#set.get(id);
    if (!set || set.fault.times === null) return undefined;
    const times = set.fault.times - 1;
    this.#set.set(id, { ...set, fault: { ...set.fault, times } });
    return times;
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
