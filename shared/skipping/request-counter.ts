import type { InFlightTracker } from '../in-flight.ts';
import type { ActivityTracker } from './activity.ts';

/**
 * Counts requests as in flight while they are on the wire: until the gateway has received the request, and from the
 * gateway's answer until the sender has read the answer. In between, a request may wait for people and terminals, so it
 * is not counted.
 */
export class RequestCounter {
  #inFlight: InFlightTracker;
  #onTheWire = new Map<string, () => void>();
  #open = new Set<string>();

  constructor(inFlight: InFlightTracker, activity: ActivityTracker | undefined) {
    this.#inFlight = inFlight;
    activity?.onWire({
      arrived: (requestId) => this.#open.has(requestId) && this.#leaveWire(requestId),
      leaves: (requestId) => this.#open.has(requestId) && this.#enterWire(requestId),
    });
  }

  /** Counts the request with this id, which is being sent now. The request is over when `over` resolves. */
  count(requestId: string, over: Promise<void>): void {
    this.#open.add(requestId);
    this.#enterWire(requestId);
    void over.then(() => {
      this.#open.delete(requestId);
      this.#leaveWire(requestId);
    });
  }

  #enterWire(requestId: string): void {
    this.#leaveWire(requestId);
    this.#onTheWire.set(requestId, this.#inFlight.begin());
  }

  #leaveWire(requestId: string): void {
    this.#onTheWire.get(requestId)?.();
    this.#onTheWire.delete(requestId);
  }
}
