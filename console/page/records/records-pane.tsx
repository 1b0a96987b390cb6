import type { ComponentChildren } from 'preact';
import { linkTo } from '../route.ts';
import { BooksAndMistakes } from './books-status.tsx';
import { CreditDetail, creditColumns } from './credits.tsx';
import { DebitDetail, debitColumns } from './debits.tsx';
import type { Credit, Debit, Delivery, Payment, StoredEvent } from './kinds.ts';
import { PaymentDetail, paymentColumns } from './payments.tsx';
import { type RecordChoiceProps, type RecordListDefinition, RecordsView } from './records-view.tsx';
import { DeliveryDetail, deliveryColumns, EventDetail, eventColumns, Webhooks } from './webhooks.tsx';

interface RecordKind {
  readonly title: string;
  readonly List: (props: RecordChoiceProps) => ComponentChildren;
}

function list<Each extends object>(title: string, kind: RecordListDefinition<Each>): RecordKind {
  return { title, List: (props) => <RecordsView {...kind} {...props} /> };
}

/** The lists of records, by their name in the page's address. */
const lists = {
  payments: list<Payment>('Payments', {
    path: '/payments',
    journalKinds: /^payment\./,
    columns: paymentColumns,
    idOf: ({ identifier }) => identifier,
    none: (
      <>
        No payment yet. Ring up a sale under <a href={linkTo('terminals')}>Terminals</a>, let your point of
        sale send one, or run <code>pinpad pay 12.50</code>.
      </>
    ),
    detail: (chosen) => <PaymentDetail id={chosen} />,
  }),
  debits: list<Debit>('Debits and refunds', {
    path: '/debits',
    journalKinds: /^(debit|refund)\./,
    columns: debitColumns,
    idOf: (debit) => debit.id,
    none: (
      <>
        No saved card was charged yet. Your point of sale can charge a card;{' '}
        <code>pinpad trigger payments.debits.paid</code> makes such a charge.
      </>
    ),
    detail: (chosen) => <DebitDetail id={chosen} />,
  }),
  credits: list<Credit>('Payment links', {
    path: '/credits',
    journalKinds: /^credit\./,
    columns: creditColumns,
    idOf: (credit) => credit.id,
    none: (
      <>
        No payment link was made yet. Your point of sale can make a link;{' '}
        <code>pinpad trigger payments.credits.initiated</code> makes one.
      </>
    ),
    detail: (chosen) => <CreditDetail id={chosen} />,
  }),
  events: list<StoredEvent>('Events', {
    path: '/events',
    journalKinds: /^event\./,
    columns: eventColumns,
    idOf: (event) => event.id,
    none: (
      <>
        No event yet. Saved cards, refunds and payment links publish them; <code>pinpad trigger</code> lists
        all events, and can produce each of them.
      </>
    ),
    detail: (_, event) => event && <EventDetail event={event} />,
  }),
  deliveries: list<Delivery>('Deliveries', {
    path: '/webhook-deliveries',
    journalKinds: /^(webhook|event)\./,
    columns: deliveryColumns,
    idOf: (delivery) => delivery.id,
    none: (
      <>
        Nothing was sent to a webhook yet. Register one under{' '}
        <a href={linkTo('records', { of: 'webhooks' })}>Webhooks</a>, or run <code>pinpad listen</code>.
      </>
    ),
    detail: (_, delivery, again) => delivery && <DeliveryDetail delivery={delivery} onDone={again} />,
  }),
  webhooks: { title: 'Webhooks', List: Webhooks },
} satisfies Record<string, RecordKind>;

interface PaneProps {
  readonly asked: Readonly<Record<string, string>>;
}

/**
 * Shows the gateway's records, such as payments, debits and webhooks. Each record has its reasons beside it, and
 * buttons for the actions that a test can take.
 */
export function RecordsPane({ asked }: PaneProps) {
  const of = (Object.hasOwn(lists, asked.of ?? '') ? asked.of : 'payments') as keyof typeof lists;
  const { title, List } = lists[of];
  // The new choice replaces the previous choice in the browser's history. So the Back button leaves the list at once.
  const choose = (id: string) => location.replace(linkTo('records', id === asked.id ? { of } : { of, id }));
  return (
    <div class="records-pane">
      <BooksAndMistakes />
      <nav class="tabs" aria-label="Records">
        {Object.entries(lists).map(([name, list]) => (
          <a
            key={name}
            href={linkTo('records', { of: name })}
            aria-current={name === of ? 'page' : undefined}
          >
            {list.title}
          </a>
        ))}
      </nav>
      <List id={asked.id} onChoose={choose} label={title} />
    </div>
  );
}
