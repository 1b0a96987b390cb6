import { encodePath } from '../control.ts';
import { linkTo } from '../route.ts';
import { useControlQuery } from '../use-control-query.ts';
import { GatewayCallButton } from './actions.tsx';
import { DateTimeText, FactList, MoneyText, StateWord } from './fields.tsx';
import type { Credit } from './kinds.ts';
import { type Column, shortId } from './record-list.tsx';

export const creditColumns: readonly Column<Credit>[] = [
  { title: 'Link', draw: ({ id }) => shortId(id) },
  { title: 'Created', minor: true, draw: ({ createdAt }) => <DateTimeText at={createdAt} /> },
  {
    title: 'Amount',
    number: true,
    draw: ({ amount, currency }) => <MoneyText amount={amount} currency={currency} />,
  },
  { title: 'State', draw: ({ state }) => <StateWord state={state} /> },
  { title: 'Why', draw: ({ why }) => why },
];

/** A bank account to which a test may send money. The IBAN is an example from the IBAN registry. */
const exampleAccount = { kind: 'iban', iban: 'DE89370400440532013000' };

/** Shows a payment link, with buttons for the actions that a test can take on the link. */
export function CreditDetail({ id }: { id: string }) {
  const { data, failed, again } = useControlQuery<Credit>(encodePath`/credits/${id}`, /^credit\./);
  if (!data) return <p class={failed ? 'problem' : 'none'}>{failed ?? 'Reading …'}</p>;
  return (
    <>
      <h2>
        <MoneyText amount={data.amount} currency={data.currency} /> <StateWord state={data.state} />
      </h2>
      <p class="why">{data.why}</p>
      <p>
        <a href={linkTo('traffic', { payment: id })}>Its traffic</a>
      </p>
      {data.state === 'initiated' && data.refusal !== null && (
        <p class="warning">
          If the customer accepts the money of this link, the bank will refuse the payment: {data.refusal}.
        </p>
      )}
      {data.state === 'initiated' && (
        <div class="buttons">
          <GatewayCallButton path={encodePath`/credits/${id}/accept`} body={exampleAccount} onDone={again}>
            Accept as the customer
          </GatewayCallButton>
          <GatewayCallButton
            path={encodePath`/credits/${id}/refuse`}
            body={{}}
            disabled={data.refusal !== null}
            onDone={again}
          >
            Let the bank refuse the payment
          </GatewayCallButton>
          <GatewayCallButton path={encodePath`/credits/${id}/expire`} onDone={again}>
            Expire it
          </GatewayCallButton>
        </div>
      )}
      <FactList
        facts={{
          Link: id,
          Customer: data.contactId,
          'Paid from': data.fromBankAccountId,
          'Paid to': data.paidTo && `${data.paidTo.kind} ${data.paidTo.maskedNumber}`,
          Statement: data.statement,
          Note: data.note,
          Account: `${data.accountId}, ${data.environment}`,
          Created: <DateTimeText at={data.createdAt} />,
          'Runs out': <DateTimeText at={data.expiresAt} />,
          'Locked until': data.lockedUntil && <DateTimeText at={data.lockedUntil} />,
          Ended: data.endedAt && <DateTimeText at={data.endedAt} />,
        }}
      />
    </>
  );
}
