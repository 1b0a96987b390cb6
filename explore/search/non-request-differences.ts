import type { RunRecord } from '../run/run-record.ts';

/** Returns a line for each difference between the two plain runs, apart from differences between their requests. */
export function findNonRequestDifferences(plain: RunRecord, again: RunRecord): string[] {
  const moments = new Set([...plain.passed.keys(), ...again.passed.keys()]);
  const lines = [...moments].flatMap((moment) => {
    const [first, second] = [plain, again].map(({ passed }) => passed.get(moment) ?? 0);
    return first === second
      ? []
      : [`the two runs without faults passed ${moment} a different number of times: ${first} and ${second}`];
  });
  if (plain.output.join('\n') !== again.output.join('\n'))
    lines.push('the output of the two runs without faults differed');
  return lines;
}
