/** Puts a table between the marks of this name in a page of docs. */
export function withTable(path: string, page: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${path} has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}

/** Returns a table in Markdown. */
export function formatMarkdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
