/** What talks to a gateway that runs, for those who start none: it loads neither a gateway nor terminals. */
export {
  type ControlledGateway,
  callControl,
  callJson,
  type ProbedWebhook,
  probeWebhooks,
  readClock,
} from './call-control.ts';
export { describeOutcome, receiptLines } from './describe-outcome.ts';
export { followJournal, readJournal } from './follow-journal.ts';
export { type Running, readRunning } from './running-file.ts';
export { abortPayment, type Sale, SaleRefused, type SaleResult, takePayment } from './sale.ts';
export { StartError } from './start-error.ts';
