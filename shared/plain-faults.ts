import type { z } from 'zod';

/**
 * What schemas say of the files that people write: a field that is not known with those that are, and a missing one as
 * such. Given to `safeParse`, it also speaks for each form of a choice.
 */
export const plainFaults: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') {
    const { shape } = (issue.inst?._zod.def ?? {}) as { shape?: object };
    const unknown = `${issue.keys.join(', ')} is not known here`;
    return shape ? `${unknown}; allowed: ${Object.keys(shape).join(', ')}` : unknown;
  }
  const missing = issue.input === undefined && /^invalid_(type|value|union)$/.test(issue.code ?? '');
  return missing ? 'is missing' : undefined;
};

export const nestedTooDeeply = 'values are nested too deeply here';

/** What a YAML parser's error says, in a line. */
export function plainYamlFault({ code, message }: { code: string; message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here: a file holds one';
  if (/stack size exceeded|stack overflow/i.test(message)) return nestedTooDeeply;
  const [first = message] = message.split('\n');
  return first.replace(/ at line \d+, column \d+:?$/, ''); // who prints it says where, in a form of his own
}
