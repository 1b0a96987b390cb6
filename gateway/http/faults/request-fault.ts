import type { z } from 'zod';
import { makeFaultFields } from '../../faults/fault-kind-schemas.ts';
import type { FaultyExchange } from '../faulty-exchange.ts';
import type { AnswerReceiver } from '../ready-answer.ts';

export { faultDurationSchema } from '../../faults/fault-kind-schemas.ts';

/**
 * One kind of fault of a request. `meet` is called before the request is carried out. If `meet` returns `over`, the
 * request is not carried out. If `meet` returns a function, that function gets the answer instead of the client.
 */
export interface RequestFaultKind<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly shape: Shape;
  readonly meet: (
    exchange: FaultyExchange,
    fault: z.output<z.ZodObject<Shape>>,
  ) => AnswerReceiver | 'over' | undefined;
}

/** Makes a kind of fault from its name, a sentence that describes it, its fields, and the function that causes it. */
export function defineRequestFault<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
  meet: RequestFaultKind<Fields>['meet'],
): RequestFaultKind<{ fault: z.ZodLiteral<Name> } & Fields> {
  return { shape: makeFaultFields(name, description, fields), meet: meet as never };
}
