import { TaskQueueFullError } from '../../../shared/lanes.ts';
import { findPairValue } from '../../../shared/nexo/pairs.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { closeCodes, LinkProtocolError } from '../../../shared/transport/link.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { PoiHandlers } from '../../terminals/poi-server.ts';
import type { TerminalMessage, UnreadableMessageHead } from '../../terminals/terminal-message.ts';
import { readOrThrowUnreadable } from '../core/concluding.ts';
import type { Payment } from '../core/states.ts';
import type { Input } from '../core/step.ts';
import type { OpenPayments } from './open-payments.ts';
import { currentPaymentSubject, type PaymentInputQueue } from './payment-engine-adapter.ts';

type MessageOf<Kind> = Extract<TerminalMessage, { kind: Kind }>;

/** Queues the input that a message causes. `input` is called when it is the message's turn. */
type Take = (subject: string, input: () => Input | undefined) => Promise<unknown>;

interface MessagesParts {
  runtime: Runtime;
  turns: PaymentInputQueue;
  open: OpenPayments;
  /** Called if an input could not be stored, or if it failed for another reason. */
  failed(terminalId: string, error: unknown): void;
}

/**
 * Turns the messages of a terminal, and the changes of its connection, into inputs. The inputs about one terminal are
 * decided one after the other.
 */
export function makePoiHandlers({ runtime, turns, open, failed }: MessagesParts): PoiHandlers {
  const ofLink = ({ id }: Terminal, input: Input) => {
    turns.put(id, currentPaymentSubject, input).catch((error) => failed(id, error));
  };
  const onTerminal = ({ id }: Terminal): Payment | undefined => {
    const state = open.onTerminal(id);
    return state.is === 'none' ? undefined : state.payment;
  };

  function received(
    terminal: Terminal,
    message: TerminalMessage,
    link: { open: boolean },
  ): Promise<unknown> | undefined {
    // If the connection has ended when it is the message's turn, the gateway ignores the message, because the terminal
    // will send it again (B68).
    const take: Take = (subject, input) =>
      turns.put(terminal.id, subject, () => (link.open ? input() : undefined)).catch(overflown);
    if (message.kind === 'DisplayRequest') return progressed(terminal, message, take);
    if (message.kind === 'TransactionStatusResponse')
      return take(currentPaymentSubject, () => statusInput(onTerminal(terminal), message));
    const meant = namedInput(terminal, message);
    return meant && take(meant.paymentId, () => meant.input);
  }

  /**
   * Writes the terminal's progress to the journal. In two cases the payment changes too: if the terminal has received
   * the payment, or if it has treated a PIN as wrong.
   */
  async function progressed(
    terminal: Terminal,
    { header, body }: MessageOf<'DisplayRequest'>,
    take: Take,
  ): Promise<void> {
    for (const { OutputContent } of body.DisplayOutput) {
      const event = readOrThrowUnreadable(() =>
        findPairValue(OutputContent.PredefinedContent.ReferenceID, 'event'),
      );
      const state = open.onTerminal(terminal.id);
      const concerned =
        state.is !== 'none' && state.payment.serviceId === header.ServiceID ? state : undefined;
      if (event !== undefined) {
        const about = { terminal: terminal.poiId, payment: concerned?.payment.id };
        runtime.journal.add('payment.progressed', { event }, about);
      }
      if (!concerned || concerned.is === 'waiting') continue;
      const { id, everyPinWrong } = concerned.payment;
      if (!concerned.onTerminal) await take(id, () => ({ is: 'requestTaken' }));
      if (event === 'PIN_ENTERED' && everyPinWrong) await take(id, () => ({ is: 'pinEntered' }));
    }
  }

  return {
    connected: (terminal) => ofLink(terminal, { is: 'linkUp' }),
    disconnected: (terminal, code) =>
      ofLink(terminal, { is: 'linkDown', unread: code === closeCodes.badMessage }),
    received,
    unreadable: (terminal, message) => {
      const input = (): Input | undefined =>
        answersFor(onTerminal(terminal), message) ? { is: 'answerUnreadable' } : undefined;
      turns.put(terminal.id, currentPaymentSubject, input).catch((error) => failed(terminal.id, error));
    },
  };
}

/** Gives the input for a message that names its payment; undefined if the message names no payment. */
function namedInput(
  terminal: Terminal,
  { kind, header, body }: TerminalMessage,
): { paymentId: string; input: Input } | undefined {
  const from = { terminal, serviceId: header.ServiceID };
  switch (kind) {
    case 'PaymentResponse':
      return {
        paymentId: body.SaleData.SaleTransactionID.TransactionID,
        input: { is: 'answered', ...from, response: body },
      };
    case 'ReversalResponse':
      return {
        paymentId: body.SaleData.SaleTransactionID.TransactionID,
        input: { is: 'answered', ...from, reversal: body },
      };
    case 'AcquirerRequest':
      return {
        paymentId: body.PaymentReference,
        input: { is: 'hostAsked', ...from, request: body, late: false },
      };
    default:
      return undefined;
  }
}

/**
 * Gives the input for a terminal's reply to the question about its payment. Returns undefined if that payment has
 * ended.
 */
function statusInput(
  payment: Payment | undefined,
  { body }: MessageOf<'TransactionStatusResponse'>,
): Input | undefined {
  if (body.MessageReference.ServiceID !== payment?.serviceId) return undefined;
  const { PaymentResponse: response, ReversalResponse: reversal } =
    body.RepeatedMessageResponse?.RepeatedResponseMessageBody ?? {};
  if (response) return { is: 'repeated', response };
  if (reversal) return { is: 'repeated', reversal };
  const { ErrorCondition } = body.Response;
  if (ErrorCondition === 'InProgress') return { is: 'inProgress' };
  if (ErrorCondition === 'NotFound') return { is: 'notFound' };
  throw new LinkProtocolError(
    closeCodes.policy,
    'a TransactionStatusResponse has neither outcome nor reason',
  );
}

/** Returns whether an unreadable message is the answer about the terminal's payment (B67). */
function answersFor(payment: Payment | undefined, { kind, header }: UnreadableMessageHead): boolean {
  if (!payment) return false;
  return (
    kind === 'TransactionStatusResponse' ||
    ((kind === 'PaymentResponse' || kind === 'ReversalResponse') && header.ServiceID === payment.serviceId)
  );
}

/**
 * Closes the connection to a terminal that sends more messages than the gateway can handle. The terminal connects and
 * sends the messages again.
 */
function overflown(error: unknown): never {
  if (error instanceof TaskQueueFullError)
    throw new LinkProtocolError(closeCodes.tooMuch, 'too many messages wait');
  throw error;
}
