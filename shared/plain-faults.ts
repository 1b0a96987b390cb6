import type { z } from 'zod';
import { findClosestFormIssues } from './closest-form-issues.ts';
import { findMeantName } from './did-you-mean.ts';
import { explainWrongValue, type TypeNames } from './wrong-value.ts';

/** YAML's types, in words for people who write YAML. */
const yamlKinds: TypeNames = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields (name: value)',
  null: 'nothing',
};

/**
 * Writes messages about files that people write. If a field is unknown, the message lists the known fields. If a field
 * is missing, the message says so. If a value is wrong, the message says what the value has to be. Pass this function
 * to `safeParse`. If a value may have several forms, this function then also writes the message about each form.
 */
export const plainErrorMap: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') {
    const { shape } = (issue.inst?._zod.def ?? {}) as { shape?: object };
    return unknownKeys(issue.keys, shape && Object.keys(shape));
  }
  if (issue.input === undefined && /^invalid_(type|value|union)$/.test(issue.code)) return 'is missing';
  return explainWrongValue(issue, yamlKinds);
};

function unknownKeys(keys: readonly string[], allowed: readonly string[] | undefined): string {
  const unknown = `${keys.join(', ')} is not known here`;
  if (!allowed) return unknown;
  const meant = keys.flatMap((key) => findMeantName(key, allowed) ?? []);
  const list = allowed.join(', ');
  return meant.length > 0
    ? `${unknown}; did you mean ${meant.join(', ')}? Allowed: ${list}`
    : `${unknown}; allowed: ${list}`;
}

/**
 * Says in a sentence what is wrong. If a value may have several forms and fits none of them, says why it does not fit
 * the closest forms.
 */
export function explainIssue(issue: z.core.$ZodIssue): string {
  const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  // `Invalid input` is zod's own message for every union
  const said = issue.code !== 'invalid_union' || issue.message !== 'Invalid input';
  if (said) return `${where}${issue.message}`;
  const forms = findClosestFormIssues(issue).map((form) => form.map(explainIssue).join('; '));
  return where + [...new Set(forms)].join(', or ');
}

export const nestedTooDeeplyMessage = 'values are nested too deeply here';

/** Writes a YAML parser's error in one line. */
export function explainYamlFault({ code, message }: { code: string; message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here, but a file may have only one';
  if (/stack size exceeded|stack overflow/i.test(message)) return nestedTooDeeplyMessage;
  const [first = message] = message.split('\n');
  return first.replace(/ at line \d+, column \d+:?$/, ''); // the caller adds the line number in another form
}
