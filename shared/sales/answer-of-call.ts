import type { JournalEntry } from '../journal.ts';
import { asRecord, asText } from '../journal-fields.ts';
import type { CallRecord } from './sale-record.ts';

/**
 * Returns the fields of an answer's body. If the body is not needed to understand the answer, returns no fields and
 * does not read the body, because reading it costs more than everything else here. Most answers need no body.
 */
export function readNeededBody(
  { payment, status }: CallRecord,
  data: JournalEntry<'http.answered'>['data'],
): Record<string, unknown> {
  const isUnderWay = payment !== undefined && (status === 202 || status === 303);
  return data.outcomeOf !== undefined || isUnderWay ? {} : asRecord(data.body);
}

/** Reads from an answer which payment the answer is about, and which outcomes the answer contains. */
export function readCallAnswer(
  call: CallRecord,
  status: number,
  body: Record<string, unknown>,
): { payment: string | undefined; told: readonly string[] } {
  const identifier = asText(body.identifier) ?? asText(body.debit_id);
  const payment = identifier ?? call.payment;
  switch (call.kind) {
    case 'payment':
    case 'status':
    case 'latest':
      return { payment, told: outcomeIf(status === 200 && body.response !== undefined, identifier) };
    case 'charge':
    case 'preauthorize':
    case 'capture':
    case 'credit': {
      const isDeclined = status === 402 && identifier !== undefined;
      return { payment, told: outcomeIf(status === 200 || isDeclined, payment) };
    }
    case 'refund': {
      const refund = asText(body.id);
      return { payment: refund, told: outcomeIf(status === 201, refund) };
    }
    case 'refunds':
      return status === 200 && Array.isArray(body.refunds)
        ? { payment: call.payment, told: body.refunds.flatMap((refund) => asText(asRecord(refund).id) ?? []) }
        : { payment, told: [] };
    default:
      return { payment, told: [] };
  }
}

function outcomeIf(isOutcome: boolean, id: string | undefined): string[] {
  return isOutcome && id !== undefined ? [id] : [];
}
