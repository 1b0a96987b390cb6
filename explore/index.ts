export { type Exploration, explore } from './exploration.ts';
export { describeSchedule, listAllFaults } from './plan/catalogue.ts';
export { parseSchedule, scheduleText } from './plan/schedule.ts';
export { CausesSoFar } from './report/causes-so-far.ts';
export { exitCodeOf } from './report/exit-code.ts';
export { recordFailureAsScenario } from './report/failure-as-scenario.ts';
export { type ExplorationFindings, groupExplorationFindings } from './report/failures.ts';
export { makeExplorationJsonReport } from './report/json-report.ts';
export { formatExplorationJunitXml } from './report/junit.ts';
export { renderExplorationPage } from './report/page.ts';
export {
  isCardMissing,
  plainRunLine,
  type RerunCommandBuilder,
  reportText,
} from './report/text.ts';
export { writeTrace, writeTraces } from './report/traces.ts';
export { makeLocalEnvironmentProvider } from './run/local-environment-provider.ts';
export { makeRunningGatewayProvider } from './run/running-gateway-provider.ts';
export type { ExploredSchedule } from './search/run-schedules.ts';
export { serveRuns } from './threads/serve-runs.ts';
