import { createHash } from 'node:crypto';
import { recordScenario } from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Exploration } from '../exploration.ts';
import { describeSchedule, faultKindOf } from '../plan/catalogue.ts';
import { scheduleText } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import type { RerunCommandBuilder } from './text.ts';

/** The text of the scenario for a failure, or the reason why no scenario can repeat it. */
type RecordedFailure =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly why: string };

/**
 * Writes a failure as a scenario. The scenario has the requests of the point of sale, the faults, and an expectation
 * about the money, which fails. It fails until a developer replaces the requests by those of a corrected point of sale
 * (B307).
 */
export function recordFailureAsScenario(
  one: ExploredSchedule,
  { plain }: Pick<Exploration, 'plain'>,
  again: RerunCommandBuilder,
): RecordedFailure {
  const { schedule, run, verdict } = one;
  const schedules = scheduleText(schedule);
  const name = fileNameOf(schedules);
  const ending = endingOf(run, plain);
  if (ending.length === 0)
    return {
      name,
      why: `a scenario has no expectation that detects this failure (${verdict.is}): ${verdict.says}`,
    };
  const crash = schedule.some((planned) => faultKindOf(planned).group === 'POS crash');
  const text = recordScenario(run.entries, {
    name: `Explored: ${schedules}`,
    description: `${verdict.says}, when ${describeSchedule(schedule)}.`,
    remark: [
      'Recorded by "pinpad explore --record". This scenario fails as long as it contains the requests that your point of sale sent when the scenario was recorded.',
      'When you have fixed your point of sale, replace these requests by the new requests, or delete this file and explore again:',
      `  ${again(schedules).replaceAll('\n', ' ')}`,
      ...(crash
        ? [
            'A scenario cannot kill a point of sale. Instead, a request or an answer is lost here, and the later requests are the requests that the point of sale sent after its restart.',
          ]
        : []),
    ],
    terminals: [run.terminal],
    ending,
  });
  return { name, text };
}

const longestName = 120;

/**
 * Returns the name of a failure's file. A long name is cut, and ends with a hash, so that no two failures share a file.
 */
function fileNameOf(schedules: string): string {
  const name = schedules.replaceAll(/[^\w@.+-]/g, '_');
  if (name.length <= longestName) return name;
  const hash = createHash('sha256').update(schedules).digest('hex').slice(0, 12);
  return `${name.slice(0, longestName - hash.length - 1)}-${hash}`;
}

/** The kinds of journal entries that say that money moved. */
const moving = ['ledger.authorized', 'ledger.reversed', 'ledger.captured', 'ledger.refunded'] as const;

/**
 * Returns expectations for the end of the scenario. They fail after this run, but would be true if the point of sale
 * were correct.
 */
function endingOf(run: RunRecord, plain: RunRecord): Record<string, unknown>[] {
  const untold = run.sales.some(
    ({ own, charged, told }) => own === null && (charged ?? 0) > 0 && told === 'untold',
  );
  const more = moving.some((kind) => count(run.entries, kind) > count(plain.entries, kind));
  const journal = moving
    .map((kind) => ({ kind, times: count(plain.entries, kind) }))
    .filter(({ kind, times }) => times > 0 || count(run.entries, kind) > 0);
  return [
    ...(more ? [{ expect: { journal } }] : []),
    // The books list a payment as `untold` only if it ended more than a minute ago (B241).
    ...(untold ? [{ pass: '2 min' }, { expect: { books: 'told' } }] : []),
  ];
}

function count(entries: readonly JournalEntry[], kind: string): number {
  return entries.filter((entry) => entry.kind === kind).length;
}
