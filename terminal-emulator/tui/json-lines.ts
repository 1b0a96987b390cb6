import { makeSheetLine, type SheetLine, type StyledText, styleText } from './sheet.ts';
import { theme } from './theme.ts';

/** Returns a value as lines of indented JSON. The colour of each part shows the type of the part. */
export function makeJsonSheetLines(value: unknown): SheetLine[] {
  return linesOf(value, '', [], '');
}

function linesOf(value: unknown, indent: string, before: readonly StyledText[], after: string): SheetLine[] {
  const start = [styleText(indent), ...before];
  if (typeof value !== 'object' || value === null)
    return [makeSheetLine(...start, scalar(value), styleText(after, theme.faint))];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members: [StyledText[], unknown][] = Array.isArray(value)
    ? value.map((member) => [[], member])
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [
          [styleText(JSON.stringify(key), theme.jsonKey), styleText(': ', theme.faint)],
          member,
        ]);
  if (members.length === 0)
    return [makeSheetLine(...start, styleText(`${open}${close}${after}`, theme.faint))];
  return [
    makeSheetLine(...start, styleText(open, theme.faint)),
    ...members.flatMap(([key, member], index) =>
      linesOf(member, `${indent}  `, key, index < members.length - 1 ? ',' : ''),
    ),
    makeSheetLine(styleText(indent), styleText(`${close}${after}`, theme.faint)),
  ];
}

function scalar(value: unknown): StyledText {
  const style = typeof value === 'string' ? theme.jsonText : theme.jsonValue;
  return styleText(JSON.stringify(value) ?? 'null', style);
}
