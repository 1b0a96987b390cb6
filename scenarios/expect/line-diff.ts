/**
 * Shows how a text changed, line by line. `-` marks removed lines, and `+` marks new lines. A few unchanged lines
 * before and after each change are shown too.
 */
export function diffLines(before: string, after: string, around = 2): string {
  const lines = walked(before === '' ? [] : before.split('\n'), after.split('\n'));
  const near = (index: number) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== ' ');
  const kept: string[] = [];
  lines.forEach(({ sign, line }, index) => {
    if (near(index)) kept.push(`${sign} ${line}`);
    else if (kept.at(-1) !== '  …') kept.push('  …');
  });
  return kept.join('\n');
}

interface DiffLine {
  sign: ' ' | '-' | '+';
  line: string;
}

/** Walks along the longest common subsequence of lines. */
function walked(before: readonly string[], after: readonly string[]): DiffLine[] {
  const common = before.map(() => after.map(() => 0));
  const length = (at: number, of: number) => common[at]?.[of] ?? 0;
  for (let at = before.length - 1; at >= 0; at--)
    for (let of = after.length - 1; of >= 0; of--)
      (common[at] as number[])[of] =
        before[at] === after[of]
          ? length(at + 1, of + 1) + 1
          : Math.max(length(at + 1, of), length(at, of + 1));
  const lines: DiffLine[] = [];
  let [at, of] = [0, 0];
  while (at < before.length || of < after.length) {
    if (at < before.length && of < after.length && before[at] === after[of]) {
      lines.push({ sign: ' ', line: before[at++] as string });
      of++;
    } else if (of >= after.length || (at < before.length && length(at + 1, of) >= length(at, of + 1)))
      lines.push({ sign: '-', line: before[at++] as string });
    else lines.push({ sign: '+', line: after[of++] as string });
  }
  return lines;
}
