import type { Screen } from '../../shared/emulator/screen.ts';

const columns = 32;

/**
 * Draws a screen in plain text, as a person sees it. This is for `GET …/screen?format=text` and for the logs of
 * scripts.
 */
export function formatScreenText(screen: Screen): string {
  const rows = [
    ...centred(screen.title),
    ...(screen.amount === undefined ? [] : centred(screen.amount)),
    '',
    ...screen.lines.flatMap((line) => folded(line)),
    ...choiceRows(screen),
    ...(screen.input ? [`${screen.input.label}: ${screen.input.text}`.slice(0, columns)] : []),
  ];
  const rule = '─'.repeat(columns + 2);
  const body = rows.map((row) => `│ ${row}${' '.repeat(Math.max(0, columns - length(row)))} │`);
  const below = [
    `state: ${screen.state}`,
    `keys: ${screen.keys.join(' ') || '-'}`,
    `entries: ${screen.entries.join(' ') || '-'}`,
    `power: ${screen.lamps.power ? 'on' : 'off'}  network: ${screen.lamps.network ? 'up' : 'down'}`,
    ...(screen.card ? [`card in the slot: ${screen.card.label}`] : []),
    ...(screen.readers ?? []).map(({ line }) => `reader: ${line}`),
  ];
  return `${[`┌${rule}┐`, ...body, `└${rule}┘`, ...below].join('\n')}\n`;
}

function choiceRows({ choices }: Screen): string[] {
  const rows = Map.groupBy(
    choices.toSorted((a, b) => a.column - b.column),
    ({ row }) => row,
  );
  return [...rows.keys()]
    .sort((a, b) => a - b)
    .flatMap((row) => {
      const labels = (rows.get(row) ?? []).map(({ key, label }) => `[${key}] ${label}`);
      const joined = labels.join('  ');
      return length(joined) <= columns ? [joined] : labels.flatMap((label) => folded(label));
    });
}

function centred(text: string): string[] {
  return folded(text).map((line) => ' '.repeat(Math.floor((columns - length(line)) / 2)) + line);
}

/** Breaks a text into lines that fit the screen, between words if possible. */
function folded(text: string): string[] {
  const lines: string[] = [];
  let rest = [...text];
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > 0 ? space : columns;
    lines.push(rest.slice(0, end).join(''));
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
  return [...lines, rest.join('')];
}

function length(text: string): number {
  return [...text].length;
}
