import { z } from 'zod';

/**
 * Makes the fields that only this kind of fault has. The value of the field `fault` is the kind's name. The
 * description of this field says what such a fault does.
 */
export function makeFaultFields<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
): { fault: z.ZodLiteral<Name> } & Fields {
  return { fault: z.literal(name).meta({ description }), ...fields };
}

/** The schema for times in faults. They are in ms by the gateway's clock. */
export const faultDurationSchema = z
  .int()
  .min(1)
  .max(600_000)
  .meta({ description: "The time in milliseconds of the gateway's clock" });

type KindSchema<Common, Own> = Own extends z.ZodRawShape ? z.ZodObject<Common & Own> : never;
type KindSchemas<Common, Own> = [KindSchema<Common, Own>, ...KindSchema<Common, Own>[]];

/** Makes a schema for each kind of fault, from the kind's own fields and the fields that all kinds share. */
export function makeFaultKindSchemas<const Common extends z.ZodRawShape, Own extends z.ZodRawShape>(
  common: Common,
  kinds: readonly Own[],
): KindSchemas<Common, Own> {
  return kinds.map((own) => z.object({ ...common, ...own })) as unknown as KindSchemas<Common, Own>;
}
