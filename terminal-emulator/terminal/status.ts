import type {
  PaymentResponse,
  TransactionStatusRequest,
  TransactionStatusResponse,
} from '../../shared/nexo/bodies.ts';
import type { Memory } from './memory.ts';
import type { Outbox } from './outbox.ts';
import type { PaymentDesk } from './payment-desk.ts';
import type { PoiLink } from './poi-link.ts';

/** Tells the gateway what became of a payment: its answer again, in progress, or not found (decision 18). */
export async function answerStatus(
  serviceId: string,
  request: TransactionStatusRequest,
  parts: { poiId: string; memory: Memory; desk: PaymentDesk; outbox: Outbox; link: PoiLink },
): Promise<void> {
  const asked = request.MessageReference.ServiceID;
  const answer = await statusOf(asked, request, parts);
  const repeats = answer.RepeatedMessageResponse !== undefined;
  parts.link.tell('TransactionStatusResponse', serviceId, answer, () => {
    if (repeats) parts.outbox.delivered(asked);
  });
}

async function statusOf(
  asked: string,
  { MessageReference }: TransactionStatusRequest,
  parts: { poiId: string; memory: Memory; desk: PaymentDesk },
): Promise<TransactionStatusResponse> {
  const failure = (ErrorCondition: 'InProgress' | 'NotFound'): TransactionStatusResponse => ({
    Response: { Result: 'Failure', ErrorCondition },
    MessageReference,
  });
  if (parts.desk.isUnderWay(asked)) return failure('InProgress');
  const known = await parts.memory.find(parts.poiId, asked);
  if (known.state !== 'concluded') return failure(known.state === 'new' ? 'NotFound' : 'InProgress');
  return {
    Response: { Result: 'Success' },
    MessageReference,
    RepeatedMessageResponse: {
      RepeatedResponseMessageBody: { PaymentResponse: JSON.parse(known.response) as PaymentResponse },
    },
  };
}
