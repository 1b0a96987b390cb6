export {
  type ControlledGateway,
  callControl,
  callJson,
  type ProbedWebhook,
  probeWebhooks,
  readClock,
} from './call-control.ts';
export { type AccountConfig, type Config, config, demoAccounts } from './config.ts';
export { readCredentials } from './credentials.ts';
export { describeOutcome, receiptLines } from './describe-outcome.ts';
export { type EventForwarder, followEvents, forwardTo } from './follow-events.ts';
export { followJournal, readJournal } from './follow-journal.ts';
export { loadConfig } from './load-config.ts';
export type { Provisioned, ProvisionedTerminal, ProvisionedToken } from './provision.ts';
export { type ConfigChanges, resolveConfig } from './resolve-config.ts';
export { type Running, readRunning, removeRunning, writeRunning } from './running-file.ts';
export { abortPayment, type Sale, SaleRefused, type SaleResult, takePayment } from './sale.ts';
export { StartError } from './start-error.ts';
export { pacingOf, runtimeOf, type Stack, type StackParts, startStack } from './start-stack.ts';
export { startTerminals, type TerminalsWanted } from './start-terminals.ts';
export { triggerableEvents, triggerEvent } from './trigger-event.ts';
