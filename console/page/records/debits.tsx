import { useState } from 'preact/hooks';
import { encodePath } from '../control.ts';
import { linkTo } from '../route.ts';
import { useControlQuery } from '../use-control-query.ts';
import { GatewayCallButton } from './actions.tsx';
import { DateTimeText, FactList, MoneyText, StateWord } from './fields.tsx';
import type { Debit, DebitExplained, Refund } from './kinds.ts';
import { LedgerEntries } from './payments.tsx';
import { type Column, shortId } from './record-list.tsx';

export const debitColumns: readonly Column<Debit>[] = [
  { title: 'Debit', draw: ({ id }) => shortId(id) },
  { title: 'Created', minor: true, draw: ({ createdAt }) => <DateTimeText at={createdAt} /> },
  {
    title: 'Saved card',
    minor: true,
    draw: ({ contactId, creditCardId }) => `${creditCardId} of ${contactId}`,
  },
  {
    title: 'Amount',
    number: true,
    draw: ({ amount, currency }) => <MoneyText amount={amount} currency={currency} />,
  },
  { title: 'State', draw: ({ state }) => <StateWord state={state} /> },
  { title: 'Statement', draw: ({ statement }) => statement },
];

/** Shows a debit and its refunds, with buttons for the actions that a test can take on the debit. */
export function DebitDetail({ id }: { id: string }) {
  const { data, failed, again } = useControlQuery<DebitExplained>(
    encodePath`/debits/${id}`,
    /^(debit|refund|ledger)\./,
  );
  if (!data) return <p class={failed ? 'problem' : 'none'}>{failed ?? 'Reading …'}</p>;
  const { currency } = data;
  return (
    <>
      <h2>
        <MoneyText amount={data.amount} currency={currency} /> <StateWord state={data.state} />
      </h2>
      <p class="why">{data.why}</p>
      <p>
        <a href={linkTo('traffic', { payment: id })}>Its traffic</a>
      </p>
      <div class="buttons">
        {data.state === 'preauthorized' && (
          <GatewayCallButton path={encodePath`/debits/${id}/expire`} onDone={again}>
            Expire the authorization
          </GatewayCallButton>
        )}
        {data.state === 'paid' && data.closedToRefunds === null && (
          <GatewayCallButton path={encodePath`/debits/${id}/close-refunds`} body={{}} onDone={again}>
            Close it to refunds
          </GatewayCallButton>
        )}
      </div>
      {data.state === 'paid' && <BlockRefunds id={id} onDone={again} />}
      <FactList
        facts={{
          Debit: id,
          Flow: data.flow,
          'Declined with': data.declineCode,
          Surcharge: data.surcharge > 0 && <MoneyText amount={data.surcharge} currency={currency} />,
          Refundable: <MoneyText amount={data.refundable} currency={currency} />,
          Blocked: data.blocked > 0 && `${data.blocked} ${currency}: ${data.blockedReason}`,
          'Closed to refunds': data.closedToRefunds,
          Statement: data.statement,
          Note: data.note,
          'Paid to': data.toBankAccountId,
          Created: <DateTimeText at={data.createdAt} />,
          'Runs out': data.expiresAt && <DateTimeText at={data.expiresAt} />,
          Captured: data.capturedAt && <DateTimeText at={data.capturedAt} />,
          Ended: data.endedAt && <DateTimeText at={data.endedAt} />,
        }}
      />
      <h3>Refunds</h3>
      {data.refunds.length === 0 && <p class="none">None.</p>}
      {data.refunds.map((refund) => (
        <RefundDetail key={refund.id} refund={refund} onDone={again} />
      ))}
      <LedgerEntries entries={data.ledger} />
    </>
  );
}

/** A form that blocks partial refunds of a debit, as a dispute does. */
function BlockRefunds({ id, onDone }: { id: string; onDone: () => void }) {
  const [amount, setAmount] = useState('');
  const value = Number(amount.trim().replace(',', '.') || Number.NaN);
  return (
    <div class="form-row">
      <label>
        <span>Keep from refunds</span>
        <input
          class="amount"
          inputMode="decimal"
          placeholder="5.00, 0 for none"
          value={amount}
          onInput={({ currentTarget }) => setAmount(currentTarget.value)}
        />
      </label>
      <GatewayCallButton
        method="PUT"
        path={encodePath`/debits/${id}/blocked-refunds`}
        body={{ amount: value }}
        disabled={!(value >= 0)}
        onDone={onDone}
      >
        Block
      </GatewayCallButton>
    </div>
  );
}

function RefundDetail({ refund, onDone }: { refund: Refund; onDone: () => void }) {
  const { id, amount, currency, status, why, reason, createdAt, dueAt } = refund;
  return (
    <section class="part" aria-label={`Refund ${id}`}>
      <p>
        <MoneyText amount={amount} currency={currency} /> <StateWord state={status} />{' '}
        <span class="none">{reason}</span>
      </p>
      <p>{why}</p>
      <p class="facts">
        {id} · created <DateTimeText at={createdAt} />
        {dueAt && (
          <>
            {' '}
            · next <DateTimeText at={dueAt} />
          </>
        )}
      </p>
      <div class="buttons">
        {status === 'processing' && (
          <GatewayCallButton path={encodePath`/refunds/${id}/submit`} onDone={onDone}>
            Send the refund to the bank now
          </GatewayCallButton>
        )}
        {status !== 'failed' && (
          <GatewayCallButton path={encodePath`/refunds/${id}/fail`} body={{}} onDone={onDone}>
            Fail it
          </GatewayCallButton>
        )}
      </div>
    </section>
  );
}
