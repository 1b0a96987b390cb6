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
      status: z.union([z.literal(500), z.literal(502), z.literal(503), z.literal(504)]).default(503),
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

/** Faults that tests have set for requests to come. Kept in memory: a gateway starts without any. */
export class Faults {
  #identifiers: Identifiers;
  #set: Fault[] = [];

  constructor(identifiers: Identifiers) {
    this.#identifiers = identifiers;
  }

  list(): readonly Fault[] {
    return this.#set;
  }

  add(input: FaultInput): Fault {
    const made = { ...input, id: this.#identifiers.next() };
    this.#set.push(made);
    return made;
  }

  /** Clears the one of that id, or those of an account, or all; gives how many there were. */
  clear(of: { id?: string; accountId?: string } = {}): number {
    const before = this.#set.length;
    this.#set = this.#set.filter(
      ({ id, accountId }) =>
        (of.id !== undefined && of.id !== id) || (of.accountId !== undefined && of.accountId !== accountId),
    );
    return before - this.#set.length;
  }

  /** The first fault that is for this request, used up by it; undefined where all goes well. */
  take(request: { method: string; path: string; accountId: string | undefined }): Fault | undefined {
    if (this.#set.length === 0) return undefined;
    const index = this.#set.findIndex((one) => isFor(one, request));
    const found = this.#set[index];
    if (!found) return undefined;
    if (found.times === 1) this.#set.splice(index, 1);
    else if (found.times !== null) this.#set[index] = { ...found, times: found.times - 1 };
    return found;
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
