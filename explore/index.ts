export { type Exploration, type ExplorationOptions, explore } from './exploration.ts';
export { describeSchedule } from './plan/catalogue.ts';
export { parseSchedule, type Schedule, scheduleText } from './plan/planned.ts';
export { exitCodeOf } from './report/exit-code.ts';
export { type Findings, findingsOf } from './report/failures.ts';
export { reportJson } from './report/machine.ts';
export { plainLine, reportText } from './report/text.ts';
export { localArena } from './run/local-arena.ts';
export type { Explored } from './search/search.ts';
