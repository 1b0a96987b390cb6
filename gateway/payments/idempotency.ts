import { createHash } from 'node:crypto';

/**
 * What two requests of the same Idempotency-Key must share: the terminal and the body as a JSON value, whatever
 * the order of its fields (B56).
 */
export function requestHash(terminalId: string, body: unknown): string {
  return createHash('sha256')
    .update(`${terminalId.toLowerCase()}\n`)
    .update(canonicalJson(body))
    .digest('base64url');
}

/** JSON with sorted keys. Works on a list of what is left to write, so that no nesting is too deep for it. */
export function canonicalJson(value: unknown): string {
  let text = '';
  const left: (string | { value: unknown })[] = [{ value }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') text += next;
    else if (typeof next.value !== 'object' || next.value === null)
      text += JSON.stringify(next.value) ?? 'null';
    else for (const part of written(next.value).reverse()) left.push(part);
  }
  return text;
}

function written(container: object): (string | { value: unknown })[] {
  if (Array.isArray(container))
    return ['[', ...container.flatMap((value, index) => [index === 0 ? '' : ',', { value }]), ']'];
  const entries = Object.entries(container).sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    '{',
    ...entries.flatMap(([key, value], index) => [
      `${index === 0 ? '' : ','}${JSON.stringify(key)}:`,
      { value },
    ]),
    '}',
  ];
}
