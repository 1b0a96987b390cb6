import type { z } from 'zod';
import { shapeOf } from '../../faults/kind.ts';
import type { FaultyExchange } from '../faulty-exchange.ts';
import type { Answering } from '../sent-answer.ts';

export { milliseconds } from '../../faults/kind.ts';

/**
 * One kind of thing that can go wrong with a request. `meet` is called before the request is carried out. If it returns
 * `over`, the request is not carried out. If it returns a function, that function gets the answer instead of the
 * client.
 */
export interface RequestFaultKind<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly shape: Shape;
  readonly meet: (
    exchange: FaultyExchange,
    fault: z.output<z.ZodObject<Shape>>,
  ) => Answering | 'over' | undefined;
}

/** Makes a kind of fault from its name, a sentence that describes it, its fields, and the function that causes it. */
export function requestFault<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
  meet: RequestFaultKind<Fields>['meet'],
): RequestFaultKind<{ fault: z.ZodLiteral<Name> } & Fields> {
  return { shape: shapeOf(name, description, fields), meet: meet as never };
}
