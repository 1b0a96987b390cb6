import type {
  DiagnosisResponse,
  TransactionStatusRequest,
  TransactionStatusResponse,
} from '../../shared/nexo/bodies.ts';
import { answerKindOf } from '../payment/payment-response.ts';
import type { AcquirerChannel } from './acquirer-channel.ts';
import type { TerminalMemory } from './memory.ts';
import type { OutcomeOutbox } from './outbox.ts';
import type { PaymentController } from './payment-controller.ts';
import type { GatewayMessage, PoiLink } from './poi-link.ts';

/** The objects of a terminal that handle the messages from the gateway. */
interface GatewayMessageHandlers {
  readonly poiId: string;
  readonly memory: TerminalMemory;
  readonly controller: PaymentController;
  readonly host: AcquirerChannel;
  readonly outbox: OutcomeOutbox;
  readonly link: PoiLink;
}

/** Carries out what a message from the gateway requests. Resolves when the message can be acknowledged. */
export function handleGatewayMessage(
  message: GatewayMessage,
  parts: GatewayMessageHandlers,
): void | Promise<void> {
  const { ServiceID } = message.header;
  switch (message.kind) {
    case 'PaymentRequest':
    case 'ReversalRequest':
      return parts.controller.requested(message);
    case 'AbortRequest':
      return parts.controller.abort(message.body);
    case 'AcquirerResponse':
      return parts.host.received(ServiceID, message.body);
    case 'TransactionStatusRequest':
      return answerStatus(ServiceID, message.body, parts);
    case 'DiagnosisRequest':
      parts.link.sendMessage('DiagnosisResponse', ServiceID, diagnosis(parts.controller));
  }
}

function diagnosis({ busy }: PaymentController): DiagnosisResponse {
  return { Response: { Result: 'Success' }, POIStatus: { GlobalStatus: busy ? 'Busy' : 'OK' } };
}

/**
 * Answers the gateway's status request: with the payment's answer, "in progress", or "not found" (B65). The terminal
 * sends nothing if it gave the payment's answer up because the gateway had refused it as unreadable. The payment then
 * ends at its deadline (B67).
 */
async function answerStatus(
  serviceId: string,
  request: TransactionStatusRequest,
  parts: GatewayMessageHandlers,
): Promise<void> {
  const asked = request.MessageReference.ServiceID;
  const answer = await statusOf(asked, request, parts);
  if (!answer) return;
  const repeats = answer.RepeatedMessageResponse !== undefined;
  parts.link.sendMessage('TransactionStatusResponse', serviceId, answer, {
    acknowledged: () => repeats && parts.outbox.delivered(asked),
    refused: (why) => repeats && parts.outbox.refused(asked, why),
  });
}

async function statusOf(
  asked: string,
  { MessageReference }: TransactionStatusRequest,
  { poiId, memory, controller }: GatewayMessageHandlers,
): Promise<TransactionStatusResponse | undefined> {
  const failure = (ErrorCondition: 'InProgress' | 'NotFound'): TransactionStatusResponse => ({
    Response: { Result: 'Failure', ErrorCondition },
    MessageReference,
  });
  if (controller.isUnderWay(asked)) return failure('InProgress');
  const known = await memory.find(poiId, asked);
  if (known.state === 'putAside') return undefined;
  if (known.state !== 'concluded') return failure(known.state === 'new' ? 'NotFound' : 'InProgress');
  return {
    Response: { Result: 'Success' },
    MessageReference,
    RepeatedMessageResponse: {
      RepeatedResponseMessageBody: { [answerKindOf(known)]: JSON.parse(known.response) },
    },
  };
}
