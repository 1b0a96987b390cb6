import { type SheetLine, type StyledText, sheetLine, styled } from './sheet.ts';
import { theme } from './theme.ts';

/** Returns a value as lines of indented JSON. The colour of each part shows the type of the part. */
export function jsonLines(value: unknown): SheetLine[] {
  return linesOf(value, '', [], '');
}

function linesOf(value: unknown, indent: string, before: readonly StyledText[], after: string): SheetLine[] {
  const start = [styled(indent), ...before];
  if (typeof value !== 'object' || value === null)
    return [sheetLine(...start, scalar(value), styled(after, theme.faint))];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members: [StyledText[], unknown][] = Array.isArray(value)
    ? value.map((member) => [[], member])
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [
          [styled(JSON.stringify(key), theme.jsonKey), styled(': ', theme.faint)],
          member,
        ]);
  if (members.length === 0) return [sheetLine(...start, styled(`${open}${close}${after}`, theme.faint))];
  return [
    sheetLine(...start, styled(open, theme.faint)),
    ...members.flatMap(([key, member], index) =>
      linesOf(member, `${indent}  `, key, index < members.length - 1 ? ',' : ''),
    ),
    sheetLine(styled(indent), styled(`${close}${after}`, theme.faint)),
  ];
}

function scalar(value: unknown): StyledText {
  const style = typeof value === 'string' ? theme.jsonText : theme.jsonValue;
  return styled(JSON.stringify(value) ?? 'null', style);
}
