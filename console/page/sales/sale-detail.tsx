import { useMemo } from 'preact/hooks';
import { isoTime } from '../../../shared/clock.ts';
import type { AttemptKind, Sale } from '../../../shared/sales/sale.ts';
import { type SaleStep, saleStepsOf } from '../../../shared/sales/sale-steps.ts';
import { encodePath } from '../control.ts';
import { useObservable } from '../observable.ts';
import { DateTimeText, FactList, MoneyText } from '../records/fields.tsx';
import { linkTo } from '../route.ts';
import { useControlQuery } from '../use-control-query.ts';
import { useConsoleStore } from '../use-store.ts';
import { RuleLink } from './rule-link.tsx';
import { SaleAmount, SaleMistakesAndOutcome, saleNameOf } from './sale-words.tsx';

interface DetailProps {
  readonly id: string;
  /** The sale, if the list contains it. If undefined, this component reads the sale from the gateway. */
  readonly known: Sale | undefined;
}

const told: Record<Sale['told'], string> = {
  told: 'told',
  untold: 'not told: no complete answer with the outcome was sent',
  unknown: 'unknown: the journal does not reach back to the first request',
  nothing: 'there is no outcome yet',
};

/** Shows a sale: its mistakes and how to correct them, then each request with its answer and its effect (B267). */
export function SaleDetail({ id, known }: DetailProps) {
  const read = useControlQuery<Sale>(known ? undefined : encodePath`/sales/${id}`);
  const sale = known ?? read.data;
  if (!sale) return <p class={read.failed ? 'problem' : 'none'}>{read.failed ?? 'Reading …'}</p>;
  const given = givenBackIn(sale);
  return (
    <>
      <h2>
        {saleNameOf(sale)} <SaleAmount sale={sale} /> <SaleMistakesAndOutcome sale={sale} />
      </h2>
      <Findings sale={sale} />
      {sale.why && <p class="why">{sale.why}</p>}
      <Diagram sale={sale} />
      <FactList
        facts={{
          Charged: sale.charged !== null && sale.charged >= 0 && (
            <MoneyText amount={sale.charged} currency={sale.currency ?? ''} />
          ),
          'Given back': given > 0 && <MoneyText amount={given} currency={sale.currency ?? ''} />,
          'The point of sale': told[sale.told],
          Terminal: sale.terminal,
          Reference: sale.saleReferenceId,
          'Idempotency-Key': sale.idempotencyKey,
          'Rung up by': sale.own && `pinpad (${sale.own})`,
          Began: <DateTimeText at={sale.startedAt} />,
          Took: sale.tookMs !== null && `${sale.tookMs / 1000} s`,
          'Gives back': sale.refundOf && <a href={linkTo('sales', { id: sale.refundOf })}>a sale</a>,
        }}
      />
      <ul class="sale-payments">
        {sale.attempts.map(({ payment, kind, outcome }) => (
          <li key={payment}>
            <a href={linkTo('records', { of: isAtTerminal(kind) ? 'payments' : 'debits', id: payment })}>
              The reason for this outcome, and the entries of the acquirer
            </a>{' '}
            <span class="none">
              {names[kind]}
              {outcome} …{payment.slice(-4)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const names: Record<AttemptKind, string> = {
  payment: '',
  charge: '',
  refund: '',
  link: '',
  reversal: 'reversal ',
  cardRefund: 'refund ',
};

function isAtTerminal(kind: AttemptKind): boolean {
  return kind === 'payment' || kind === 'reversal' || kind === 'cardRefund';
}

/** Returns the sum of money that reversals and refunds at terminals gave back, in major units. */
function givenBackIn({ attempts }: Sale): number {
  return -attempts.reduce((sum, { charged }) => sum + Math.min(0, charged ?? 0), 0);
}

function Findings({ sale: { findings } }: { sale: Sale }) {
  if (findings.length === 0) return null;
  return (
    <ul class="sale-findings">
      {findings.map(({ rule, severity, what, fix, count }) => (
        <li key={`${rule} ${what}`} class={severity}>
          <strong>
            <RuleLink rule={rule} />
          </strong>
          {count > 1 && ` (${count} times)`}: {what}
          <p class="none">{fix}</p>
        </li>
      ))}
    </ul>
  );
}

function Diagram({ sale }: { sale: Sale }) {
  const { log } = useConsoleStore();
  useObservable(log);
  const steps = useMemo(() => saleStepsOf(sale, log.entries), [sale, log.version]);
  return (
    <section class="diagram" aria-label="Calls">
      <p class="diagram-heads" aria-hidden="true">
        <span>POS</span>
        <span>gateway</span>
      </p>
      {!sale.callsKnown && (
        <p class="none">The first calls of this sale are not known, because the journal begins after them.</p>
      )}
      <ol>
        {steps.map((step, index) => (
          <li key={index} class={`${step.way} ${step.tone}`}>
            <Step step={step} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const ways: Record<SaleStep['way'], string> = {
  asks: 'POS to gateway',
  isAnswered: 'gateway to POS',
  broke: 'broken',
  note: '',
};

function Step({ step: { at, way, text, seq } }: { step: SaleStep }) {
  const line = (
    <>
      <time>{isoTime(at).slice(11, 19)}</time> <span class="way">{ways[way]}</span>
      <span class="arrow">
        <span class="text">{text}</span>
      </span>
    </>
  );
  return seq === undefined ? (
    <span>{line}</span>
  ) : (
    <a href={linkTo('traffic', { seq: String(seq) })}>{line}</a>
  );
}
