import type { PaymentResponse } from '../../shared/nexo/bodies.ts';
import type { MessageHeader } from '../../shared/nexo/message.ts';
import { decodePairs } from '../../shared/nexo/pairs.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, LinkError } from '../../shared/transport/link.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from '../terminals/directory.ts';
import type { PoiHandlers, PoiServer, TerminalMessage } from '../terminals/poi-server.ts';
import { type Conclusions, readable, terminalVerdict } from './conclusion.ts';
import type { OpenPayment, OpenPayments } from './open-payments.ts';
import type { Recovery } from './recovery.ts';

/** What each message of a terminal means for the payments. */
export function terminalMessages(parts: {
  runtime: Runtime;
  store: Store;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  conclusions: Conclusions;
  recovery: Recovery;
}): PoiHandlers {
  const { runtime, store, acquirer, poi, open, conclusions, recovery } = parts;

  async function answered(terminal: Terminal, header: MessageHeader, body: PaymentResponse): Promise<void> {
    const id = body.SaleData.SaleTransactionID.TransactionID;
    const payment = open.byId(id);
    if (!payment) return late(terminal, id, body);
    if (payment.terminalDeletedAt !== undefined) return putAside(terminal, id);
    checkAnswer(terminal, header, payment);
    if (!(await conclusions.conclude(payment, terminalVerdict(payment, body))))
      await late(terminal, id, body);
  }

  /** A result for a payment that is concluded: the same one again, or one that came too late to count. */
  async function late(terminal: Terminal, id: string, body: PaymentResponse): Promise<void> {
    const about = { terminal: terminal.poiId, payment: id };
    const row = await store.read((db) =>
      db
        .selectFrom('payments')
        .leftJoin('payment_results', 'payment_id', 'id')
        .select(['terminal_id', 'account_id', 'environment', 'result', 'error_condition'])
        .where('id', '=', id)
        .executeTakeFirst(),
    );
    if (!row) {
      const message = 'the terminal has a result for a payment that nobody here knows';
      return runtime.journal.add('warning', { message }, about);
    }
    const { id: terminal_id, accountId: account_id, environment } = terminal;
    const own = row.terminal_id === terminal_id && row.account_id === account_id;
    if (!own || row.environment !== environment) return putAside(terminal, id);
    if ((row.result === 'success') === (body.Response.Result === 'Success')) return;
    const why = `the payment was concluded before as ${row.error_condition ?? row.result}, and stays so`;
    runtime.journal.add('payment.lateResult', { result: body.Response.Result.toLowerCase(), why }, about);
  }

  /** A memory that is older than its terminal: what it has of former payments counts for nothing (B8). */
  function putAside(terminal: Terminal, id: string): void {
    const message = 'the terminal has a result for a payment of a former terminal: itis set aside';
    runtime.journal.add('warning', { message }, { terminal: terminal.poiId, payment: id });
  }

  async function progressed(terminal: Terminal, header: MessageHeader, reference: string): Promise<void> {
    const payment = open.onTerminal(terminal.id);
    const event = new Map(readable(() => decodePairs(reference))).get('event');
    const concerns = payment?.serviceId === header.ServiceID ? payment : undefined;
    if (concerns) concerns.onTerminal = true;
    if (event !== undefined)
      runtime.journal.add(
        'payment.progressed',
        { event },
        { terminal: terminal.poiId, payment: concerns?.id },
      );
    if (event === 'PIN_ENTERED' && concerns?.everyPinWrong) await acquirer.foundPinWrong(concerns);
  }

  async function received(terminal: Terminal, message: TerminalMessage): Promise<void> {
    const { kind, header, body } = message;
    if (kind === 'PaymentResponse') await answered(terminal, header, body);
    else if (kind === 'TransactionStatusResponse') await recovery.statusAnswered(terminal, body);
    else if (kind === 'DisplayRequest')
      for (const { OutputContent } of body.DisplayOutput)
        await progressed(terminal, header, OutputContent.PredefinedContent.ReferenceID);
    else if (kind === 'AcquirerRequest')
      await acquirer.handle(terminal, body, (response) => {
        const { ServiceID: serviceId } = header;
        const payment = body.PaymentReference;
        poi.send(terminal, { kind: 'AcquirerResponse', serviceId, body: response, payment });
      });
  }

  return {
    connected: (terminal) => recovery.connected(terminal),
    disconnected: (terminal) => recovery.disconnected(terminal),
    received,
    unreadable: (terminal, message) => recovery.unreadable(terminal, message),
  };
}

function checkAnswer(terminal: Terminal, header: MessageHeader, payment: OpenPayment): void {
  if (payment.terminalId !== terminal.id)
    throw new LinkError(closeCodes.policy, `payment ${payment.id} is another terminal's`);
  if (!payment.sent || header.ServiceID !== payment.serviceId)
    throw new LinkError(closeCodes.policy, `PaymentResponse ${header.ServiceID} answers no PaymentRequest`);
}
