import { z } from 'zod';

/** The dotted paths of fields in `value` that `schema` does not know (decision 7), e.g. transactionConditions.colour. */
export function unknownFields(schema: z.ZodType, value: unknown, at = ''): string[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((element, index) =>
      unknownFields(inner.element as z.ZodType, element, join(at, index)),
    );
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const known = Object.hasOwn(inner.shape, key) ? (inner.shape[key] as z.ZodType) : undefined;
    return known ? unknownFields(known, field, join(at, key)) : [join(at, key)];
  });
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

function join(at: string, key: string | number): string {
  return at === '' ? String(key) : `${at}.${key}`;
}
