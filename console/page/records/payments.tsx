import { encodePath } from '../control.ts';
import { linkTo } from '../route.ts';
import { JsonView } from '../traffic/json-view.tsx';
import { useControlQuery } from '../use-control-query.ts';
import { GatewayCallButton } from './actions.tsx';
import { AnswerReceipts } from './answer-receipts.tsx';
import { DateTimeText, FactList, MoneyText, StateWord } from './fields.tsx';
import type { LedgerEntry, Payment, PaymentExplained } from './kinds.ts';
import type { Column } from './record-list.tsx';
import { shortId } from './record-list.tsx';

export const paymentColumns: readonly Column<Payment>[] = [
  { title: 'Payment', draw: ({ identifier }) => shortId(identifier) },
  { title: 'Accepted', minor: true, draw: ({ acceptedAt }) => <DateTimeText at={acceptedAt} /> },
  { title: 'Terminal', minor: true, draw: ({ poiId, terminalId }) => poiId ?? shortId(terminalId) },
  {
    title: 'Total',
    number: true,
    draw: ({ amount, total, currency }) => <MoneyText amount={total ?? amount} currency={currency} />,
  },
  {
    title: 'Tip',
    number: true,
    minor: true,
    draw: ({ tip, currency }) => (tip ? <MoneyText amount={tip} currency={currency} /> : null),
  },
  {
    title: 'Outcome',
    draw: ({ kind, result, errorCondition, state }) => (
      <StateWord state={result ?? state}>
        {kind === 'payment' ? '' : `${kind}: `}
        {errorCondition ?? result ?? state}
      </StateWord>
    ),
  },
  { title: 'Reference', draw: ({ saleReferenceId, idempotencyKey }) => saleReferenceId ?? idempotencyKey },
];

/** Shows how a payment ended and why, its entries at the acquirer, and what was reported to the point of sale. */
export function PaymentDetail({ id }: { id: string }) {
  const { data, failed, again } = useControlQuery<PaymentExplained>(
    encodePath`/payments/${id}`,
    /^(payment|ledger|outcome)\./,
  );
  if (!data) return <p class={failed ? 'problem' : 'none'}>{failed ?? 'Reading …'}</p>;
  const open = data.result === null;
  return (
    <>
      <h2>
        {headOf[data.kind]}
        <MoneyText amount={data.total ?? data.amount} currency={data.currency} />{' '}
        <StateWord state={data.result ?? data.state}>
          {data.errorCondition ?? data.result ?? data.state}
        </StateWord>
      </h2>
      {data.why && <p class="why">{data.why}</p>}
      <p>
        <a href={linkTo('traffic', { payment: id })}>Its traffic</a>
      </p>
      {open && (
        <div class="buttons">
          <GatewayCallButton
            method="PUT"
            path={encodePath`/payments/${id}/outcome`}
            body={{ outcome: { type: 'decline' } }}
            onDone={again}
          >
            Decline it
          </GatewayCallButton>
          <GatewayCallButton
            method="PUT"
            path={encodePath`/payments/${id}/outcome`}
            body={{ outcome: { type: 'silent' } }}
            onDone={again}
          >
            The host stays silent
          </GatewayCallButton>
        </div>
      )}
      <FactList
        facts={{
          [names[data.kind]]: id,
          'Gives back': data.original && (
            <a href={linkTo('records', { of: 'payments', id: data.original })}>a payment</a>
          ),
          'Given back of it': data.givenBack > 0 && (
            <MoneyText amount={data.givenBack} currency={data.currency} />
          ),
          Requested: data.tip ? <MoneyText amount={data.amount} currency={data.currency} /> : undefined,
          Tip: data.tip ? <MoneyText amount={data.tip} currency={data.currency} /> : undefined,
          'Decided by': data.decidedBy && `${data.decidedBy}${data.rule ? `: ${data.rule}` : ''}`,
          'Set by a test': data.outcomeSet?.type,
          Terminal: data.poiId ?? data.terminalId,
          Reference: data.saleReferenceId,
          'Idempotency-Key': data.idempotencyKey,
          Account: `${data.accountId}, ${data.environment}`,
          Accepted: <DateTimeText at={data.acceptedAt} />,
          'On the terminal': <DateTimeText at={data.deliveredAt} />,
          'Abort asked for': data.abortRequestedAt && <DateTimeText at={data.abortRequestedAt} />,
          'Given up at': data.deadlineAt && <DateTimeText at={data.deadlineAt} />,
          Concluded: <DateTimeText at={data.concludedAt} />,
        }}
      />
      {data.warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      {data.answer?.paymentReceipt && <AnswerReceipts receipts={data.answer.paymentReceipt} />}
      <LedgerEntries entries={data.ledger} />
      <h3>Reported to the point of sale</h3>
      {data.answer ? <JsonView value={data.answer} /> : <p class="none">{unanswered(data)}</p>}
    </>
  );
}

const names = { payment: 'Payment', reversal: 'Reversal', refund: 'Refund' } as const;
const headOf = { payment: '', reversal: 'Reversal of ', refund: 'Refund of ' } as const;

/**
 * Returns the text for a payment without an answer. Reversals and refunds at terminals never have an answer of the
 * payments API.
 */
function unanswered({ kind, result }: PaymentExplained): string {
  if (kind === 'payment' || result === null) return 'Nothing yet.';
  return `The ${kind} ended as ${result}. The traffic shows the answer that the point of sale got.`;
}

/** Shows the acquirer's entries about a payment. */
export function LedgerEntries({ entries }: { entries: readonly LedgerEntry[] }) {
  if (entries.length === 0) return <p class="none">There is no entry at the acquirer.</p>;
  return (
    <>
      <h3>At the acquirer</h3>
      <table class="ledger">
        <tbody>
          {entries.map(({ at, kind, amount, currency, rule, why, card, refusalReason }, index) => (
            <tr key={index}>
              <td>
                <StateWord state={kind} />
              </td>
              <td class="number">
                <MoneyText amount={amount} currency={currency} />
              </td>
              <td>
                {card} {refusalReason ?? why} <span class="none">({rule})</span>
                <br />
                <DateTimeText at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
