import { z } from 'zod';

/** The fields of a kind of fault: its name with what it does in a sentence, and what else it takes. */
export function shapeOf<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
): { fault: z.ZodLiteral<Name> } & Fields {
  return { fault: z.literal(name).meta({ description }), ...fields };
}

/** A time by the gateway's clock, as the fields of faults have it. */
export const milliseconds = z.int().min(1).max(600_000).meta({ description: "By the gateway's clock" });

type Member<Which, Of> = Of extends z.ZodRawShape ? z.ZodObject<Which & Of> : never;
type Members<Which, Of> = [Member<Which, Of>, ...Member<Which, Of>[]];

/** A schema for each kind, with what they have in common. */
export function membersOf<const Which extends z.ZodRawShape, Of extends z.ZodRawShape>(
  which: Which,
  shapes: readonly Of[],
): Members<Which, Of> {
  return shapes.map((shape) => z.object({ ...which, ...shape })) as unknown as Members<Which, Of>;
}
