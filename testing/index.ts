export type {
  Arrival,
  Finding,
  Hand,
  HostBehaviour,
  LinkVisitor,
  Needs,
  Outcome,
  PayOrder,
  Pos,
  Receiver,
  Receivers,
  RunningGateway,
  SentRequest,
  Wishes,
  World,
} from '../scenarios/index.ts';
export { differences, explainDifference, type RecordOptions, recordStory } from '../scenarios/index.ts';
export { Pinpad, type Time } from './pinpad.ts';
export { attachPinpad, type PinpadOptions, startPinpad } from './start-pinpad.ts';
