/** The functions for commands that talk to a running gateway. They load neither a gateway nor terminals. */
export { askUntilAnswered } from './ask-until-answered.ts';
export { type ControlledGateway, controlOf, probeWebhooks, readClock, withGateway } from './call-control.ts';
export { describeOutcome, receiptLines } from './describe-outcome.ts';
export {
  followJournal,
  growingNumbers,
  latestPlace,
  placeToGoOn,
  readJournal,
  readSince,
} from './follow-journal.ts';
export { fromGateway, noGateway } from './from-gateway.ts';
export { giveBack } from './give-back.ts';
export { JournalSoFar } from './journal-so-far.ts';
export { type Running, readRunning } from './running-file.ts';
export {
  abortPayment,
  connectionFault,
  newSaleKey,
  type SaleOptions,
  SaleRefused,
  takePayment,
} from './sale.ts';
export { StartError } from './start-error.ts';
