import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Orphan } from './owners.ts';

interface LogLine {
  time: string;
  msg: string;
  terminal?: string;
  payment?: string;
}

/** What became of an open payment whose gateway died; in ms. */
export interface Takeover {
  /** From the death until the terminal had a link to another gateway. */
  dialledMs: number;
  /** From that link until that gateway worked at the payment. */
  takenMs: number;
  /** From the death until the payment was over. */
  overMs: number;
}

/** Reads from the gateways' logs how payments were taken over that were open when one died, at `diedAt`; undefined for one that was not. */
export function takeoversOf(
  logs: string,
  orphans: readonly Orphan[],
  diedAt: number,
): (Takeover | undefined)[] {
  const lines = readdirSync(logs).flatMap((name) =>
    name.startsWith('gateway-') ? linesOf(join(logs, name), new Set(orphans.flatMap(namesOf)), diedAt) : [],
  );
  return orphans.map(({ payment, poiId }) => {
    const dialled = first(lines, (line) => line.msg === 'link.opened' && line.terminal === poiId);
    const over = first(lines, (line) => line.payment === payment && line.msg === 'payment.concluded');
    if (dialled === undefined || over === undefined) return undefined;
    const worked = (line: LogLine) => line.payment === payment && Date.parse(line.time) >= dialled;
    return {
      dialledMs: dialled - diedAt,
      takenMs: (first(lines, worked) ?? over) - dialled,
      overMs: over - diedAt,
    };
  });
}

const namesOf = ({ payment, poiId }: Orphan) => [payment, poiId];

function linesOf(file: string, about: ReadonlySet<string>, since: number): LogLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text.startsWith('{') && text.endsWith('}'))
    .map((text) => JSON.parse(text) as LogLine)
    .filter(({ terminal = '', payment = '' }) => about.has(terminal) || about.has(payment))
    .filter(({ time }) => Date.parse(time) >= since);
}

function first(lines: readonly LogLine[], is: (line: LogLine) => boolean): number | undefined {
  const times = lines.filter(is).map(({ time }) => Date.parse(time));
  return times.length > 0 ? Math.min(...times) : undefined;
}
