import type { HttpAnswer, TransactionResult } from '../stack/stack-harness.ts';
import type { PayBody } from './command.ts';

/** A payment request that was sent, and what its POS knows about it. */
export interface SentPayment {
  readonly terminalId: string;
  readonly body: PayBody;
  readonly key: string | undefined;
  /** The payment's identifier. It is known once an answer has contained it. */
  identifier?: string;
}

/**
 * The POS's own record of every answer. An answer that cannot be right is noted in `faults` at once. All other
 * answers are compared when everything has settled.
 */
export class Observations {
  readonly faults: string[] = [];
  readonly payments: SentPayment[] = [];
  /**
   * All results that were reported for each payment, by its identifier. The results of one payment must all be equal.
   */
  readonly results = new Map<string, TransactionResult[]>();

  answered(what: string, { status, body }: HttpAnswer, expected: readonly number[]): void {
    if (!expected.includes(status)) this.faults.push(`${what}: ${status} ${JSON.stringify(body)}`);
    if (status !== 200 || !isResult(body)) return;
    const { identifier } = body;
    this.results.set(identifier, [...(this.results.get(identifier) ?? []), body]);
  }

  lost(what: string, error: unknown): void {
    this.faults.push(
      `${what}: not answered (${error instanceof Error ? (error.cause ?? error.message) : error})`,
    );
  }
}

function isResult(body: unknown): body is TransactionResult {
  return typeof body === 'object' && body !== null && 'identifier' in body && 'response' in body;
}
