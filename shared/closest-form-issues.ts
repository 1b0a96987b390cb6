import type { z } from 'zod';

type Form = readonly z.core.$ZodIssue[];

/**
 * Explains why a value fits none of several forms. Returns the faults of the value in the closest form, or in each of
 * the closest forms if several are equally close. A form with the value's type is closer than any other form. Among
 * several such forms, the one with the fewest missing fields is closest. The value must be parsed with the option
 * `reportInput`, because only then the issues show which fields are missing.
 */
export function findClosestFormIssues({ errors }: z.core.$ZodIssueInvalidUnion): Form[] {
  const forms = errors.filter((form) => form.length > 0).toSorted(byDistance);
  return forms.filter((form) => byDistance(forms[0] as Form, form) === 0);
}

function byDistance(a: Form, b: Form): number {
  return farOff(a) - farOff(b) || missing(a) - missing(b) || a.length - b.length;
}

/**
 * Returns how far the value is from a form. The distance is largest if the value has another type, smaller if the value
 * is none of the allowed values, and smallest if only a field of the value is wrong.
 */
function farOff(form: Form): number {
  const codes = form.filter(({ path }) => path.length === 0).map(({ code }) => code);
  if (codes.includes('invalid_type')) return 2;
  return codes.includes('invalid_value') ? 1 : 0;
}

function missing(form: Form): number {
  return form.filter(({ input }) => input === undefined).length;
}
