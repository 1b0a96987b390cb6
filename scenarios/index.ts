export type { Finding } from '../shared/lint/finding.ts';
export { findingsText } from '../shared/lint/findings-text.ts';
export type { LintOptions } from '../shared/lint/lint-journal.ts';
export { lintWithSales } from '../shared/lint/lint-with-sales.ts';
export { entriesOfPayment } from '../shared/requests/entries-of-payment.ts';
export type { ControlledGateway as RunningGateway } from '../stack/running-gateway.ts';
export { type Actors, createActors } from './environment/actors.ts';
export type { HostBehaviour } from './environment/behaviours.ts';
export { configOfNeeds, readWebhookNeeds, terminalNamesOf } from './environment/config-of-needs.ts';
export { connectExploredEnvironment, type ExploredGateway } from './environment/explored-environment.ts';
export type { LinkCustomer } from './environment/link-customer.ts';
export { startLocalEnvironment } from './environment/local-environment.ts';
export type { Pos } from './environment/pos.ts';
export type { Arrival, Receiver } from './environment/receiver.ts';
export type { Receivers } from './environment/receivers.ts';
export { setUpRemoteEnvironment } from './environment/remote-environment.ts';
export type { TestEnvironment } from './environment/scenario-context.ts';
export { type EnvironmentTerminal, ScenarioContext, ScenarioError } from './environment/scenario-context.ts';
export type { PayOrder } from './environment/sending.ts';
export type { SentRequest } from './environment/sent-request.ts';
export type { ShopperActions } from './environment/terminal-actions.ts';
export type { World } from './environment/world.ts';
export type { Outcome } from './expect/answer.ts';
export { ExpectationError, type Expectations, waitForExpectations } from './expect/expect.ts';
export { differences, type ExpectedValue, explainDifference } from './expect/match.ts';
export type { Scenario, ScenarioStep } from './format/load-scenarios.ts';
export { type Needs, scenarioNeedsSchema } from './format/needs.ts';
export { describePlace, ScenarioFileError } from './format/scenario-file.ts';
export { makeScenarioJsonSchema } from './format/schema.ts';
export { durationSchema, parseDurationMs } from './format/values.ts';
export {
  makeStepTextAtSeq,
  type RecordOptions,
  recordScenario,
} from './record/record-scenario.ts';
export type { RecordedEnvironment } from './record/recorded-environment.ts';
export { formatGithubAnnotations, makeRunJsonReport } from './report/json-report.ts';
export { junitXml } from './report/junit.ts';
export { colourPaint, plainPaint } from './report/paint.ts';
export { resultLine, summaryText } from './report/text.ts';
export { findScenarios, isScenarioFile } from './run/find-scenarios.ts';
export { runScenario, type ScenarioResult, type ScenarioRunOptions } from './run/run-scenario.ts';
export {
  describeExploringObstacle,
  runScenarioExplored,
} from './run/run-scenario-explored.ts';
export { runScenarioRemotely } from './run/run-scenario-remotely.ts';
export { type RunSummary, runScenarios } from './run/run-scenarios.ts';
export type { ScenarioFailure } from './run/run-steps.ts';
export { runTraced, type TraceSettings } from './threads/run-traced.ts';
export { ScenarioThreads } from './threads/scenario-threads.ts';
export { startLiveTraceServer } from './trace/live-trace.ts';
export { renderTrace } from './trace/render-trace.ts';
export { findCommonFolder } from './trace/trace-scenario.ts';
export { setFaults } from './verbs/faults.ts';
export { verbs as scenarioVerbs } from './verbs/verbs.ts';
