import type { Acquirer } from '../acquirer/service.ts';
import { loneGatewayPartition } from '../engine/partition.ts';
import type { StoreParts } from '../store/store.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { OpenPayments } from './moving/open-payments.ts';
import type { PaymentEffectRunner } from './moving/payment-effects.ts';
import type { PaymentEngineFactory } from './moving/payment-engine.ts';
import type { PaymentInputQueue } from './moving/payment-engine-adapter.ts';
import type { PaymentWithOutcomeRow } from './moving/rows.ts';
import type { PaymentWaiters } from './moving/waiters.ts';

/** The payments that other gateways of the same database run. */
export interface PaymentsElsewhere {
  /**
   * Whether other gateways may run payments. If so, a payment that is not open at this gateway may be open at another
   * one.
   */
  readonly possible: boolean;
  /** Asks the gateway that runs the payment to report at once when the payment changes. */
  follow(found: Pick<PaymentWithOutcomeRow, 'terminal_id' | 'id'>): void;
  /** Tells the gateway that runs the payment to abort the payment. Returns false if the payment is concluded. */
  abort(found: Pick<PaymentWithOutcomeRow, 'terminal_id' | 'id'>): Promise<boolean>;
  /**
   * Returns those of the given payments that have begun on their terminals. If a gateway does not answer, its payments
   * are left out.
   */
  onTerminals(payments: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns whether a gateway of an older release is running. Such a gateway would treat a reversal or refund as a
   * payment.
   */
  isOlder(): Promise<boolean>;
  stop(): void;
}

/** The engine that runs this gateway's payments, and the object that reaches the payments of other gateways. */
interface Running {
  readonly engine: PaymentInputQueue & { readonly effects: PaymentEffectRunner };
  readonly elsewhere: PaymentsElsewhere;
}

export interface PaymentEngineMakerParts extends StoreParts {
  terminals: TerminalService;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  waiting: PaymentWaiters;
  engineWith: PaymentEngineFactory;
}

/** Makes the engine that runs payments, and the object that reaches the payments of other gateways. */
export type PaymentEngineMaker = (on: PaymentEngineMakerParts) => Running;

/** Makes the engine of a lone gateway. This gateway runs all payments, so no payment is at another gateway. */
export const makeLoneGatewayPaymentEngine: PaymentEngineMaker = ({ engineWith }) => ({
  engine: engineWith(() => loneGatewayPartition),
  elsewhere: {
    possible: false,
    follow() {},
    abort: async () => false,
    onTerminals: async () => new Set(),
    isOlder: async () => false,
    stop() {},
  },
});
