import { useMemo, useState } from 'preact/hooks';
import { useObservable } from '../observable.ts';
import { TableHead } from '../table-head.tsx';
import { readPaymentOutcomes, toneOfOutcome } from '../traffic/outcomes.ts';
import type { TrafficLog } from '../traffic/traffic-log.ts';
import { TrafficView } from '../traffic/traffic-view.tsx';
import type { TrafficLinkTarget } from '../traffic/use-traffic-choice.ts';
import { FailurePanel } from './failure-panel.tsx';
import { TracedSaleLines } from './sales.tsx';
import type { TraceData, TracedFinding } from './trace-data.ts';
import type { TracedSalesList } from './traced-sales-list.ts';

interface ViewProps {
  readonly data: TraceData;
  readonly log: TrafficLog;
  readonly sales: TracedSalesList;
}

/**
 * Shows a trace: the failure, the sales, the outcomes of payments, the mistakes of the point of sale, and the traffic.
 */
export function TraceView({ data, log, sales }: ViewProps) {
  const [wanted, lead] = useState<TrafficLinkTarget>();
  const { failure, findings = [], live, scenarioSteps } = data;
  const stepOf = (seq: number) => (live ? stepAt(`${live.steps}${seq}`) : scenarioSteps?.[seq]);
  return (
    <main class="trace">
      <header class="trace-head">
        <h1>{data.title}</h1>
        {failure && <FailurePanel failure={failure} onShow={() => lead({ failure: true })} />}
        <TracedSaleLines list={sales} onEntry={(seq) => lead({ seq })} />
        <Outcomes log={log} onPayment={(payment) => lead({ payment })} />
        {findings.length > 0 && <Findings findings={findings} onEntry={(seq) => lead({ seq })} />}
      </header>
      <TrafficView log={log} live={live !== undefined} wanted={wanted} stepOf={stepOf} />
    </main>
  );
}

async function stepAt(url: string): Promise<string | undefined> {
  const answer = await fetch(url).catch(() => {
    throw new Error('pinpad trace has ended');
  });
  const { step } = (await answer.json()) as { step: string | null };
  return step ?? undefined;
}

function Outcomes({ log, onPayment }: { log: TrafficLog; onPayment: (id: string) => void }) {
  useObservable(log);
  const outcomes = useMemo(() => readPaymentOutcomes(log.entries), [log, log.version]);
  return (
    <details class="why-so" id="outcomes" open={outcomes.length <= 8}>
      <summary>Payments, and why they ended as they did ({outcomes.length})</summary>
      {outcomes.length === 0 ? (
        <p class="none">No payment yet.</p>
      ) : (
        <table>
          <TableHead titles={['Payment', 'Amount', 'Outcome', 'Why']} />
          <tbody>
            {outcomes.map(({ id, terminal, amount, outcome, why }) => (
              <tr key={id}>
                <td>
                  <button type="button" class="link" onClick={() => onPayment(id)}>
                    {id}
                  </button>{' '}
                  {terminal}
                </td>
                <td>{amount}</td>
                <td class={toneOfOutcome(outcome)}>{outcome}</td>
                <td>
                  {why.map((reason, index) => (
                    <p key={index}>{reason}</p>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

/** Shows the findings of lint about the requests (docs/lint.md), each with links to the lines that show the mistake. */
function Findings({
  findings,
  onEntry,
}: {
  findings: readonly TracedFinding[];
  onEntry: (seq: number) => void;
}) {
  return (
    <details class="why-so" id="findings">
      <summary>Mistakes of the point of sale that would cause trouble in a shop ({findings.length})</summary>
      <ul>
        {findings.map(({ rule, what, why, fix, count, entries }, index) => (
          <li key={index}>
            <strong>{rule}</strong>: {what} {count > 1 && `(${count} times) `}
            {entries.map((seq) => (
              <button key={seq} type="button" class="link" onClick={() => onEntry(seq)}>
                #{seq}
              </button>
            ))}
            <p>{why}</p>
            <p>{fix}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
