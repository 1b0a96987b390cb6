import type { Generated } from 'kysely';
import type { GivesBack } from '../../shared/emulator/screen.ts';
import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';

export type ReversalReason = Extract<AcquirerRequest, { Type: 'Reverse' }>['Reason'];

/** The tables of a memory file (migrations/). Every key begins with the terminal. */
export interface MemorySchema {
  /**
   * The payment that a terminal is working on, at most one. `authorizing` says that the host may have got its request.
   */
  under_way: {
    poi_id: string;
    service_id: string;
    sale: string;
    phase: 'begun' | 'authorizing';
    payment_result: string | null;
    /** The last attempt to authorize at the host (B134). */
    attempt_id: string | null;
  };
  outcome: {
    poi_id: string;
    service_id: string;
    at: number;
    transaction_id: string;
    /** How the money is given back; null for a payment. */
    gives_back: GivesBack | null;
    response: string;
    /** How often the gateway refused the outcome as unreadable (B67). */
    refusals: Generated<number>;
  };
  /** The outcomes that the gateway has not acknowledged yet. */
  undelivered: { poi_id: string; service_id: string };
  /** The reversals that the host has not answered yet. Those of version 0.1.0 do not name their attempt. */
  reversal: {
    poi_id: string;
    transaction_id: string;
    reason: ReversalReason;
    attempt_id: string | null;
    refusals: Generated<number>;
  };
  /** The process that runs a terminal: the number of its lock, and its process number for people (memory-holder.ts). */
  holder: { poi_id: string; lock: number; pid: number };
}
