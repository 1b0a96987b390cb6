import '../shared/supported-node.ts';

export type {
  Arrival,
  Expectations,
  Finding,
  HostBehaviour,
  LinkCustomer,
  Needs,
  Outcome,
  PayOrder,
  Pos,
  Receiver,
  Receivers,
  RunningGateway,
  SentRequest,
  ShopperActions,
  World,
} from '../scenarios/index.ts';
export {
  differences,
  ExpectationError,
  explainDifference,
  type RecordOptions,
  recordScenario,
  ScenarioError,
} from '../scenarios/index.ts';
export type { Sale } from '../shared/sales/sale.ts';
export { StartError } from '../shared/start-error.ts';
export { type ExploredRun, explore } from './explore.ts';
export { Pinpad } from './pinpad.ts';
export { attachPinpad, type PinpadOptions, startPinpad } from './start-pinpad.ts';
export type { Duration } from './test-time.ts';
