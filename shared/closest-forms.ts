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
  return Number(isWrongType(a)) - Number(isWrongType(b)) || missing(a) - missing(b) || a.length - b.length;
}

function isWrongType(form: Form): boolean {
  return form.some(
    ({ code, path }) => (code === 'invalid_type' || code === 'invalid_value') && path.length === 0,
  );
}

function missing(form: Form): number {
  return form.filter(({ input }) => input === undefined).length;
}
