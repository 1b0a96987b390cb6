import type { z } from 'zod';

type Form = readonly z.core.$ZodIssue[];

/**
 * Of a choice between forms that a value has none of: what it lacks of the form that comes closest, or of each of several that
 * come as close. Closest is one of the value's type, and of those the one with the fewest fields missing, which a parser
 * says with `reportInput`.
 */
export function closestForms({ errors }: z.core.$ZodIssueInvalidUnion): Form[] {
  const forms = errors.filter((form) => form.length > 0).toSorted(byDistance);
  return forms.filter((form) => byDistance(forms[0] as Form, form) === 0);
}

function byDistance(a: Form, b: Form): number {
  return farOff(a) - farOff(b) || missing(a) - missing(b) || a.length - b.length;
}

/** Further off than a field of it that is wrong is the whole that is none of the values there are, or of another type. */
function farOff(form: Form): number {
  const codes = form.filter(({ path }) => path.length === 0).map(({ code }) => code);
  if (codes.includes('invalid_type')) return 2;
  return codes.includes('invalid_value') ? 1 : 0;
}

function missing(form: Form): number {
  return form.filter(({ input }) => input === undefined).length;
}
