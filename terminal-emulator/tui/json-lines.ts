import { line, part, type SheetLine, type StyledText } from './sheet.ts';
import { theme } from './theme.ts';

/** Returns a value as lines of indented JSON. Each part has a colour that shows its type. */
export function jsonLines(value: unknown): SheetLine[] {
  return linesOf(value, '', [], '');
}

function linesOf(value: unknown, indent: string, before: readonly StyledText[], after: string): SheetLine[] {
  const start = [part(indent), ...before];
  if (typeof value !== 'object' || value === null)
    return [line(...start, scalar(value), part(after, theme.faint))];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members: [StyledText[], unknown][] = Array.isArray(value)
    ? value.map((member) => [[], member])
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [
          [part(JSON.stringify(key), theme.jsonKey), part(': ', theme.faint)],
          member,
        ]);
  if (members.length === 0) return [line(...start, part(`${open}${close}${after}`, theme.faint))];
  return [
    line(...start, part(open, theme.faint)),
    ...members.flatMap(([key, member], index) =>
      linesOf(member, `${indent}  `, key, index < members.length - 1 ? ',' : ''),
    ),
    line(part(indent), part(`${close}${after}`, theme.faint)),
  ];
}

function scalar(value: unknown): StyledText {
  const style = typeof value === 'string' ? theme.jsonText : theme.jsonValue;
  return part(JSON.stringify(value) ?? 'null', style);
}
