import type { z } from 'zod';

type Form = readonly z.core.$ZodIssue[];

/**
 * Explains why a value fits none of several forms. Returns the faults of the value in the closest form, or in each of
 * the closest forms if several are equally close. A form with the value's type is closer than any other form. Among
 * several such forms, the one with the fewest missing fields is closest. The parser tells which fields are missing if
 * it is called with `reportInput`.
 */
export function issuesOfClosestForms({ errors }: z.core.$ZodIssueInvalidUnion): Form[] {
  const forms = errors.filter((form) => form.length > 0).toSorted(byDistance);
  return forms.filter((form) => byDistance(forms[0] as Form, form) === 0);
}

function byDistance(a: Form, b: Form): number {
  return farOff(a) - farOff(b) || missing(a) - missing(b) || a.length - b.length;
}

/**
 * Returns how far the value is from a form. It is furthest if the value has another type, nearer if the value is none
 * of the allowed values, and nearest if only a field of the value is wrong.
 */
function farOff(form: Form): number {
  const codes = form.filter(({ path }) => path.length === 0).map(({ code }) => code);
  if (codes.includes('invalid_type')) return 2;
  return codes.includes('invalid_value') ? 1 : 0;
}

function missing(form: Form): number {
  return form.filter(({ input }) => input === undefined).length;
}
