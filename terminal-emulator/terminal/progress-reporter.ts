import { isoTime } from '../../shared/clock.ts';
import type { DisplayEvent } from '../../shared/nexo/enums.ts';
import { percentEncode } from '../../shared/nexo/pairs.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { PaymentReferences } from '../payment/payment-order.ts';
import type { PoiLink } from './poi-link.ts';

/** The maximum number of outputs that nexo allows in one message. */
const mostOutputs = 8;

/**
 * Reports the payment's progress to the display of the POS. The events of one turn of the event loop are sent in one
 * message. An event that comes during a write to the memory waits. It is sent right before the message that follows
 * this write. Events that come while the link is down are lost, as on a real terminal.
 */
export class ProgressReporter {
  #runtime: Pick<Runtime, 'clock' | 'inFlight'>;
  #link: PoiLink;
  #pending: { sale: PaymentReferences; event: DisplayEvent; at: number }[] = [];
  /** The number of unfinished writes. After each of these writes, the caller will send a message. */
  #writesUnderWay = 0;

  constructor(runtime: Pick<Runtime, 'clock' | 'inFlight'>, link: PoiLink) {
    this.#runtime = runtime;
    this.#link = link;
  }

  notify(sale: PaymentReferences, event: DisplayEvent): void {
    if (!this.#link.up) return;
    this.#pending.push({ sale, event, at: this.#runtime.clock.now() });
    if (this.#pending.length > 1) return;
    const sending = this.#runtime.inFlight.begin();
    this.#link.atTurnEnd(() => {
      if (this.#writesUnderWay === 0) this.#flush();
      sending();
    });
  }

  /**
   * Waits for `written`, and holds back the events that come in the meantime. When `written` has settled, sends these
   * events. The caller sends its own message right after them.
   */
  async holdDuring<Written>(written: Promise<Written>): Promise<Written> {
    this.#writesUnderWay++;
    try {
      return await written;
    } finally {
      this.#writesUnderWay--;
      this.#flush();
    }
  }

  #flush(): void {
    while (this.#pending.length > 0) {
      const serviceId = this.#pending[0]!.sale.serviceId;
      const other = this.#pending.findIndex(({ sale }) => sale.serviceId !== serviceId);
      const count = Math.min(other < 0 ? this.#pending.length : other, mostOutputs);
      const outputs = this.#pending.splice(0, count).map(displayOutput);
      this.#link.sendEncoded('DisplayRequest', serviceId, `{"DisplayOutput":[${outputs.join(',')}]}`);
    }
  }
}

/**
 * Returns nexo's DisplayOutput as JSON. A payment has six such outputs, so the JSON is put together directly, which
 * saves time. Percent-encoded text needs no escaping.
 */
function displayOutput({
  sale,
  event,
  at,
}: {
  sale: PaymentReferences;
  event: DisplayEvent;
  at: number;
}): string {
  const reference = `TransactionID=${percentEncode(sale.tenderReference)}&TimeStamp=${percentEncode(isoTime(at))}&event=${event}`;
  const content = `{"OutputFormat":"MessageRef","PredefinedContent":{"ReferenceID":"${reference}"}}`;
  return `{${unanswered},"OutputContent":${content}}`;
}

const unanswered = '"ResponseRequiredFlag":false,"Device":"CashierDisplay","InfoQualify":"Status"';
