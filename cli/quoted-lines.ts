import { maskCardNumbers } from '../shared/masking/card-numbers.ts';

/**
 * The characters that are invisible, or that a terminal window treats as commands. Line ends are such characters too,
 * so callers first split a text of several lines.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns a text as one line. Its control characters are written as in JSON, and card numbers are masked. */
export function makeMaskedPrintableLine(text: string): string {
  return maskCardNumbers(text).replaceAll(unseen, escapedAll);
}

function escapedAll(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * Returns a JSON value as lines for people and agents: one line for each field, and one line for each element of a list
 * of objects. Every text is in quotation marks, and its control characters are escaped.
 */
export function formatFieldLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : value.map(inOneLine);
  if (typeof value !== 'object' || value === null) return [inOneLine(value)];
  return Object.entries(value).flatMap(([name, each]) =>
    Array.isArray(each) && each.some((one) => typeof one === 'object')
      ? [`${makeMaskedPrintableLine(name)}:`, ...each.map((one) => `  ${inOneLine(one)}`)]
      : [`${makeMaskedPrintableLine(name)}: ${inOneLine(each)}`],
  );
}

function inOneLine(value: unknown): string {
  return makeMaskedPrintableLine(JSON.stringify(value) ?? 'nothing');
}
