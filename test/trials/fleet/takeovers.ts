import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Orphan } from './owners.ts';

interface LogLine {
  time: string;
  msg: string;
  terminal?: string;
  payment?: string;
}

/** What became of an open payment whose gateway died. All times are in ms. */
interface Takeover {
  /** The time from the death until the terminal had a link to another gateway. */
  dialledMs: number;
  /** The time from the terminal's link to the other gateway until that gateway continued the payment. */
  takenMs: number;
  /** The time from the death until the payment was concluded. */
  overMs: number;
}

const meaning = {
  dialledMs: 'from the kill until their terminal dialled another gateway',
  takenMs: 'from that until it worked at them',
  overMs: 'from the kill until they were concluded',
};

/**
 * Reads the gateways' logs. Tells how soon other gateways took over the payments that were open when a gateway died at
 * `diedAt`.
 */
export function takeoverTexts(logs: string, orphans: readonly Orphan[], diedAt: number): string[] {
  const takeovers = takeoversOf(logs, orphans, diedAt);
  const known = takeovers.filter((each) => each !== undefined);
  const texts = (['dialledMs', 'takenMs', 'overMs'] as const).map(
    (what) => `open payments, ${meaning[what]}: ${spread(known.map((each) => each[what]))}`,
  );
  const early = takeovers.length - known.length;
  if (early > 0) texts.push(`${early} more were over before another gateway had their terminal`);
  return texts;
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]} ms`;
  return sorted.length === 0 ? 'none' : `median ${at(0.5)}, 99th of 100 ${at(0.99)}, longest ${at(1)}`;
}

/** Returns one entry for each payment. The entry is undefined if the payment was not taken over. */
function takeoversOf(logs: string, orphans: readonly Orphan[], diedAt: number): (Takeover | undefined)[] {
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
