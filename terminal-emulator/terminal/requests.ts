import type {
  DiagnosisResponse,
  PaymentResponse,
  TransactionStatusRequest,
  TransactionStatusResponse,
} from '../../shared/nexo/bodies.ts';
import type { HostLine } from './host-line.ts';
import type { Memory } from './memory.ts';
import type { Outbox } from './outbox.ts';
import type { PaymentDesk } from './payment-desk.ts';
import type { GatewayMessage, PoiLink } from './poi-link.ts';

/** The parts of a terminal that messages of the gateway go to. */
export interface Answering {
  readonly poiId: string;
  readonly memory: Memory;
  readonly desk: PaymentDesk;
  readonly host: HostLine;
  readonly outbox: Outbox;
  readonly link: PoiLink;
}

/** Does what a message of the gateway asks; resolves once it may be acknowledged. */
export function answerGateway(message: GatewayMessage, parts: Answering): void | Promise<void> {
  const { ServiceID } = message.header;
  switch (message.kind) {
    case 'PaymentRequest':
      return parts.desk.requested(ServiceID, message.body);
    case 'AbortRequest':
      return parts.desk.abort(message.body);
    case 'AcquirerResponse':
      return parts.host.received(ServiceID, message.body);
    case 'TransactionStatusRequest':
      return answerStatus(ServiceID, message.body, parts);
    case 'DiagnosisRequest':
      parts.link.tell('DiagnosisResponse', ServiceID, diagnosis(parts.desk));
  }
}

function diagnosis({ busy }: PaymentDesk): DiagnosisResponse {
  return { Response: { Result: 'Success' }, POIStatus: { GlobalStatus: busy ? 'Busy' : 'OK' } };
}

/**
 * Tells the gateway what became of a payment: its answer again, in progress, or not found (decision 18). Of an answer
 * that was put aside there is nothing to tell: the payment's deadline ends it (decision 65).
 */
async function answerStatus(
  serviceId: string,
  request: TransactionStatusRequest,
  parts: Answering,
): Promise<void> {
  const asked = request.MessageReference.ServiceID;
  const answer = await statusOf(asked, request, parts);
  if (!answer) return;
  const repeats = answer.RepeatedMessageResponse !== undefined;
  parts.link.tell('TransactionStatusResponse', serviceId, answer, {
    acknowledged: () => repeats && parts.outbox.delivered(asked),
    refused: (why) => repeats && parts.outbox.refused(asked, why),
  });
}

async function statusOf(
  asked: string,
  { MessageReference }: TransactionStatusRequest,
  { poiId, memory, desk }: Answering,
): Promise<TransactionStatusResponse | undefined> {
  const failure = (ErrorCondition: 'InProgress' | 'NotFound'): TransactionStatusResponse => ({
    Response: { Result: 'Failure', ErrorCondition },
    MessageReference,
  });
  if (desk.isUnderWay(asked)) return failure('InProgress');
  const known = await memory.find(poiId, asked);
  if (known.state === 'putAside') return undefined;
  if (known.state !== 'concluded') return failure(known.state === 'new' ? 'NotFound' : 'InProgress');
  const PaymentResponse = JSON.parse(known.response) as PaymentResponse;
  return {
    Response: { Result: 'Success' },
    MessageReference,
    RepeatedMessageResponse: { RepeatedResponseMessageBody: { PaymentResponse } },
  };
}
