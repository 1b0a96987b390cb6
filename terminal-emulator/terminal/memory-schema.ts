import type { Generated } from 'kysely';
import type { GiveBackKind } from '../../shared/emulator/screen.ts';
import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';

export type ReversalReason = Extract<AcquirerRequest, { Type: 'Reverse' }>['Reason'];

/** The tables of a memory file (migrations/). Every primary key begins with the terminal. */
export interface MemorySchema {
  /**
   * The payments under way. A terminal has at most one. `authorizing` means that the host may have received the
   * request.
   */
  under_way: {
    poi_id: string;
    service_id: string;
    sale: string;
    phase: 'begun' | 'authorizing';
    payment_result: string | null;
    /** The last attempt in which the host was asked to authorize the payment (B134). */
    attempt_id: string | null;
  };
  outcome: {
    poi_id: string;
    service_id: string;
    at: number;
    transaction_id: string;
    /** The way in which money is given back. It is null for a payment. */
    gives_back: GiveBackKind | null;
    response: string;
    /** How many times the gateway refused the outcome because the gateway could not read it (B67). */
    refusals: Generated<number>;
  };
  /** The outcomes that the gateway has not acknowledged yet. */
  undelivered: { poi_id: string; service_id: string };
  /**
   * The reversals that the host has not answered yet. A reversal that version 0.1.0 stored does not name the attempt
   * that it reverses.
   */
  reversal: {
    poi_id: string;
    transaction_id: string;
    reason: ReversalReason;
    attempt_id: string | null;
    refusals: Generated<number>;
  };
  /**
   * The process that runs a terminal: the number of the process's lock (memory-holder.ts), and the process id, which
   * is only for people.
   */
  holder: { poi_id: string; lock: number; pid: number };
}
