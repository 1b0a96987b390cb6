import type { Exploration } from '../exploration.ts';
import { faultKindOf } from '../plan/catalogue.ts';
import { type FaultGroup, faultGroups } from '../plan/fault-kind.ts';
import { type PlannedFault, type Schedule, scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';

/**
 * The table cell for a fault at a moment. Contains the run with this fault, or `notRun` if there was no such run.
 * Undefined if the fault is not tried at that moment.
 */
type Cell = ExploredSchedule | 'notRun' | undefined;

/** A table for one actor: its faults are the columns, and the moments are the rows. */
export interface Matrix {
  readonly group: FaultGroup;
  readonly faults: readonly string[];
  readonly rows: readonly { readonly moment: string; readonly cells: readonly Cell[] }[];
}

/**
 * Returns a matrix for each actor, with all runs that had one fault. If a fault is not tried at a moment, its field is
 * empty.
 */
export function matricesOf({ explored, left }: Exploration): Matrix[] {
  const cells = new Map<string, { planned: PlannedFault; cell: Cell }>();
  const put = (schedule: Schedule, cell: Cell) => {
    const [planned] = schedule;
    if (planned && schedule.length === 1) cells.set(scheduleText(schedule), { planned, cell });
  };
  for (const one of explored) put(one.wanted, one);
  for (const schedule of left) put(schedule, 'notRun');
  const all = [...cells.values()].map(({ planned }) => planned);
  return faultGroups.flatMap((group) => {
    const those = all.filter((planned) => faultKindOf(planned).group === group);
    const faults = [...new Set(those.map(({ fault }) => fault))];
    const moments = [...new Set(those.map(momentText))];
    const rows = moments.map((moment) => ({
      moment,
      cells: faults.map((fault) => cells.get(`${fault}@${moment}`)?.cell),
    }));
    return rows.length === 0 ? [] : [{ group, faults, rows }];
  });
}

/** Returns the runs with several faults. No matrix contains these runs. */
export function findCombinedFaultRuns({ explored }: Exploration): ExploredSchedule[] {
  return explored.filter(({ wanted }) => wanted.length > 1);
}

function momentText({ moment, nth }: PlannedFault): string {
  return `${moment}.${nth}`;
}
