import { z } from 'zod';

/**
 * Makes the fields of a kind of fault. They are the kind's name, described by a sentence, and the kind's own fields.
 */
export function faultFields<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
): { fault: z.ZodLiteral<Name> } & Fields {
  return { fault: z.literal(name).meta({ description }), ...fields };
}

/** The schema for times in faults. They are in ms by the gateway's clock. */
export const faultDuration = z
  .int()
  .min(1)
  .max(600_000)
  .meta({ description: "Milliseconds of the gateway's clock" });

type Member<Which, Of> = Of extends z.ZodRawShape ? z.ZodObject<Which & Of> : never;
type Members<Which, Of> = [Member<Which, Of>, ...Member<Which, Of>[]];

/** Makes a schema for each kind of fault. Each schema also has the fields of `which`. */
export function faultKindSchemas<const Which extends z.ZodRawShape, Of extends z.ZodRawShape>(
  which: Which,
  shapes: readonly Of[],
): Members<Which, Of> {
  return shapes.map((shape) => z.object({ ...which, ...shape })) as unknown as Members<Which, Of>;
}
