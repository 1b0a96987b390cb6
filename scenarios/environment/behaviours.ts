/** A behaviour that can be set for the acquirer's host. */
export interface HostBehaviour {
  type: 'approve' | 'decline' | 'wrongPin' | 'silent' | 'late';
  /** For `late`: how long the answer takes, in milliseconds of the clock. */
  delayMs?: number;
  /** For `decline`: nexo's name of the condition; Refusal when absent. */
  errorCondition?: string;
  refusalReason?: string;
  message?: string;
}

/** A network that comes and goes; by default it is down for 2 s and up for 5 s. */
export interface NetworkFlaps {
  times: number;
  downMs?: number;
  upMs?: number;
}
