/** A behaviour that can be set for the acquirer's host. */
export interface HostBehaviour {
  type: 'approve' | 'decline' | 'wrongPin' | 'silent' | 'late';
  /** For `late`: how long the answer takes, in milliseconds of the clock. */
  delayMs?: number;
  /** For `decline`: the name of the condition in nexo. If absent, the condition is Refusal. */
  errorCondition?: string;
  refusalReason?: string;
  message?: string;
}

/** A network that goes down and comes back. By default it is down for 2 s and then up for 5 s. */
export interface NetworkFlaps {
  times: number;
  downMs?: number;
  upMs?: number;
}
