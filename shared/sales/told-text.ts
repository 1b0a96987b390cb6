import type { Sale } from './sale.ts';

/** Says in words whether the point of sale received the outcome of a payment (B240). */
export function describeToldState(sale: Sale, payment: string): string {
  const told = sale.attempts.find((attempt) => attempt.payment === payment)?.told ?? 'unknown';
  if (told === 'nothing') return 'there is no outcome yet';
  if (told === 'unknown')
    return 'not known: the journal does not reach back to the first request, or does not have all later entries';
  if (told === 'untold')
    return `not told: the gateway sent no complete answer with the outcome (a 200 to a payment request, a status request or a request for the latest payment), and no receiver acknowledged an event with the outcome (${sale.callsText})`;
  const call = sale.calls.find((each) => each.told && each.payment === payment);
  if (!call) return 'told: the receiver acknowledged the event with the outcome';
  return `told: the answer to ${call.method} ${call.path} at ${call.endedAt ?? call.at} was sent in full`;
}
