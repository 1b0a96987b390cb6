import type { z } from 'zod';

/** Names for the types of values. The people who write the values understand these names. */
export type TypeNames = Readonly<
  Record<'string' | 'number' | 'boolean' | 'array' | 'object' | 'null', string>
>;

type Issue = Parameters<z.core.$ZodErrorMap>[0];

/** The units in which lengths are counted. */
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/**
 * Says what a value must be, for example "must be a list, not a text". Returns undefined if the schema has a better
 * message.
 */
export function explainWrongValue(issue: Issue, kinds: TypeNames): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue, kinds);
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_union': {
      // `options` is present if one field of the value decides which form the whole value must have
      const { options } = issue as { options?: readonly unknown[] };
      return options && `must be one of ${options.join(', ')}`;
    }
    case 'too_small':
      return outside(issue, issue.minimum, { of: 'at least', beyond: 'more than' });
    case 'too_big':
      return outside(issue, issue.maximum, { of: 'at most', beyond: 'less than' });
    default:
      return undefined;
  }
}

function wrongType(
  { expected, input }: Extract<Issue, { code: 'invalid_type' }>,
  kinds: TypeNames,
): string | undefined {
  const given = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  if (expected === 'int' && given === 'number') return 'must be a whole number';
  // a value of the expected type is wrong only if it is NaN or infinite
  if (expected === given) return 'must be finite';
  const wanted = { ...kinds, int: 'a whole number', record: kinds.object }[expected as keyof TypeNames];
  return wanted && `must be ${wanted}, not ${kinds[given as keyof TypeNames] ?? given}`;
}

function outside(
  { origin, inclusive, code }: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  limit: number | bigint,
  words: { of: string; beyond: string },
): string {
  const unit = units[origin];
  if (unit && code === 'too_small' && limit === 1) return 'must not be empty';
  return unit
    ? `must have ${words.of} ${limit}${unit}`
    : `must be ${inclusive ? words.of : words.beyond} ${limit}`;
}
