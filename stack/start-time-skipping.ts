import type { Runtime } from '../shared/runtime.ts';
import { watchForeignRequests } from '../shared/skipping/foreign-requests.ts';
import { RequestCounter } from '../shared/skipping/request-counter.ts';
import { TimeSkipper } from '../shared/skipping/time-skipper.ts';
import { VirtualTimeWaits } from '../shared/skipping/time-waits.ts';
import { VirtualClock } from '../shared/virtual-clock.ts';
import type { Config } from './config.ts';

/**
 * If the configuration says so, makes virtual time move by itself from now on. Returns a function that stops this.
 * Counts the requests that other code of this process sends to the gateway. Virtual time stands still while such a
 * request or its answer is on its way.
 */
export function startTimeSkipping(
  { clock: kind, skipping }: Config,
  runtime: Runtime,
  url: string,
): () => void {
  const { clock, realClock, journal, inFlight, timeWaits } = runtime;
  if (kind !== 'skipping' || !(clock instanceof VirtualClock) || !(timeWaits instanceof VirtualTimeWaits))
    return () => {};
  const counter = new RequestCounter(inFlight, timeWaits.activity);
  const stopCounting = watchForeignRequests(url, (requestId, over) => counter.count(requestId, over));
  const moving = new TimeSkipper({ clock, realClock, journal, waits: timeWaits }, skipping);
  void moving.run();
  return () => {
    moving.stop();
    stopCounting();
  };
}
