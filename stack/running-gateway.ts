/** The functions for commands that talk to a running gateway. They load neither a gateway nor terminals. */
export { askWithRetries } from './ask-until-answered.ts';
export {
  type ControlledGateway,
  controlClientOf,
  probeWebhookSignatures,
  readGatewayTimeMs,
  withGatewayErrorsExplained,
} from './call-control.ts';
export { describePaymentResult, makeCustomerReceiptLines } from './describe-outcome.ts';
export { fetchFromGateway, makeNotAGatewayError } from './fetch-from-gateway.ts';
export {
  createEntryNumberer,
  followJournal,
  readJournal,
  readJournalSince,
  readLatestPlace,
  resumePlaceFor,
} from './follow-journal.ts';
export { giveBack } from './give-back.ts';
export { IncrementalJournalReader } from './incremental-journal-reader.ts';
export { type RunningNote, readRunningNote } from './running-file.ts';
export {
  abortPayment,
  makeSaleIdempotencyKey,
  PaymentRequestRefusedError,
  type TakePaymentOptions,
  takePayment,
} from './sale.ts';
export { StartError } from './start-error.ts';
