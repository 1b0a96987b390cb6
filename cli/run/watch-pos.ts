import { type Finding, lintWithSales } from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import {
  type ControlledGateway,
  createEntryNumberer,
  followJournal,
  readGatewayTimeMs,
  readLatestPlace,
  withGatewayErrorsExplained,
} from '../../stack/index.ts';

/** Whether a scenario sent the request. All requests of scenarios have ids that begin with `scenario-`. */
const isOfScenarios = (requestId: string) => requestId.startsWith('scenario-');

/**
 * Watches the requests of the point of sale under test while scenarios run on a gateway. These are all requests that
 * the scenarios themselves did not send.
 *
 * @throws StartError if the gateway's journal cannot be read
 */
export async function lintPosRequests(
  gateway: ControlledGateway,
): Promise<{ findings(): Promise<Finding[]> }> {
  return withGatewayErrorsExplained(gateway, async () => {
    const last = await readLatestPlace(gateway);
    const entries: JournalEntry[] = [];
    const stop = new AbortController();
    const number = createEntryNumberer();
    const following = followJournal({ ...gateway, signal: stop.signal, since: last }, (entry) =>
      entries.push(number(entry)),
    );
    following.catch(() => {}); // An error here needs no message: if the gateway is gone, the scenarios fail too.
    return {
      findings: async () => {
        const until = await readGatewayTimeMs(gateway).catch(() => Number.POSITIVE_INFINITY);
        stop.abort();
        await following.catch(() => {});
        return lintWithSales(entries, { until, ignore: isOfScenarios });
      },
    };
  });
}
