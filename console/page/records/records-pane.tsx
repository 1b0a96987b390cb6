import type { ConsoleStore } from '../console-store.ts';
import { linkTo } from '../route.ts';
import { CreditDetail, creditColumns } from './credits.tsx';
import { DebitDetail, debitColumns } from './debits.tsx';
import type { Credit, Debit, Delivery, Payment, StoredEvent } from './kinds.ts';
import { PaymentDetail, paymentColumns } from './payments.tsx';
import { Records } from './records-view.tsx';
import { BooksStatus } from './standing.tsx';
import { DeliveryDetail, deliveryColumns, EventDetail, eventColumns, Webhooks } from './webhooks.tsx';

const lists = {
  payments: 'Payments',
  debits: 'Debits and refunds',
  credits: 'Payment links',
  events: 'Events',
  deliveries: 'Deliveries',
  webhooks: 'Webhooks',
} as const;
type ListName = keyof typeof lists;

interface PaneProps {
  readonly store: ConsoleStore;
  readonly asked: Readonly<Record<string, string>>;
}

/** The records of money and messages, each with its reasons and the actions of a test. */
export function RecordsPane({ store, asked }: PaneProps) {
  const of = (Object.hasOwn(lists, asked.of ?? '') ? asked.of : 'payments') as ListName;
  // This replaces the previous choice in the history, so that the browser's Back leaves the list.
  const choose = (id: string) => location.replace(linkTo('records', id === asked.id ? { of } : { of, id }));
  return (
    <div class="records-pane">
      <BooksStatus store={store} />
      <nav class="tabs" aria-label="Records">
        {Object.entries(lists).map(([name, title]) => (
          <a
            key={name}
            href={linkTo('records', { of: name })}
            aria-current={name === of ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <ListOf key={of} of={of} store={store} id={asked.id} onChoose={choose} />
    </div>
  );
}

interface ListOfProps {
  readonly of: ListName;
  readonly store: ConsoleStore;
  readonly id: string | undefined;
  readonly onChoose: (id: string) => void;
}

function ListOf({ of, store, id, onChoose }: ListOfProps) {
  const common = { store, id, onChoose };
  switch (of) {
    case 'payments':
      return (
        <Records<Payment>
          {...common}
          path="/payments"
          kinds={/^payment\./}
          columns={paymentColumns}
          idOf={({ identifier }) => identifier}
          none={
            <>
              No payment yet. Ring up a sale under <a href={linkTo('terminals')}>Terminals</a>, let your point
              of sale send one, or run <code>pinpad pay 12.50</code>.
            </>
          }
          label={lists.payments}
          detail={(chosen) => <PaymentDetail store={store} id={chosen} />}
        />
      );
    case 'debits':
      return (
        <Records<Debit>
          {...common}
          path="/debits"
          kinds={/^(debit|refund)\./}
          columns={debitColumns}
          idOf={(debit) => debit.id}
          none={
            <>
              No saved card was charged yet. Your point of sale does it;{' '}
              <code>pinpad trigger payments.debits.paid</code> makes one.
            </>
          }
          label={lists.debits}
          detail={(chosen) => <DebitDetail store={store} id={chosen} />}
        />
      );
    case 'credits':
      return (
        <Records<Credit>
          {...common}
          path="/credits"
          kinds={/^credit\./}
          columns={creditColumns}
          idOf={(credit) => credit.id}
          none={
            <>
              No payment link was made yet. Your point of sale does it;{' '}
              <code>pinpad trigger payments.credits.initiated</code> makes one.
            </>
          }
          label={lists.credits}
          detail={(chosen) => <CreditDetail store={store} id={chosen} />}
        />
      );
    case 'events':
      return (
        <Records<StoredEvent>
          {...common}
          path="/events"
          kinds={/^event\./}
          columns={eventColumns}
          idOf={(event) => event.id}
          none={
            <>
              No event yet. Saved cards, refunds and payment links publish them; <code>pinpad trigger</code>{' '}
              lists them and makes any happen.
            </>
          }
          label={lists.events}
          detail={(_, event) => event && <EventDetail store={store} event={event} />}
        />
      );
    case 'deliveries':
      return (
        <Records<Delivery>
          {...common}
          path="/webhook-deliveries"
          kinds={/^(webhook|event)\./}
          columns={deliveryColumns}
          idOf={(delivery) => delivery.id}
          none={
            <>
              Nothing was sent to a webhook yet. Register one under{' '}
              <a href={linkTo('records', { of: 'webhooks' })}>Webhooks</a>, or run <code>pinpad listen</code>.
            </>
          }
          label={lists.deliveries}
          detail={(_, delivery, again) => delivery && <DeliveryDetail delivery={delivery} onDone={again} />}
        />
      );
    case 'webhooks':
      return <Webhooks store={store} />;
  }
}
