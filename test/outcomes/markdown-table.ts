/** One row of a Markdown table. It maps the heading of each column to the row's cell. */
export type MarkdownRow = Record<string, string>;

/**
 * Returns the rows of the table under a heading of a Markdown page.
 * @throws Error if there is no such table
 */
export function tableUnder(page: string, heading: string): MarkdownRow[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading));
  const lines = section?.split('\n').filter((line) => line.startsWith('|')) ?? [];
  const [titles, , ...rows] = lines.map(cellsOf);
  if (!titles) throw new Error(`no table under "${heading}"`);
  return rows.map((cells) => Object.fromEntries(titles.map((title, at) => [title, cells[at] ?? ''])));
}

/** Returns the texts between back quotes in a cell. */
export function codesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
