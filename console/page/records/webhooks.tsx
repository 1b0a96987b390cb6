import { encodePath } from '../control.ts';
import { linkTo } from '../route.ts';
import { JsonView } from '../traffic/json-view.tsx';
import { useControlQuery } from '../use-control-query.ts';
import { GatewayCallButton } from './actions.tsx';
import { DateTimeText, FactList, StateWord } from './fields.tsx';
import type { Delivery, StoredEvent, Webhook } from './kinds.ts';
import { type Column, shortId } from './record-list.tsx';

export const eventColumns: readonly Column<StoredEvent>[] = [
  { title: 'Event', draw: ({ id }) => shortId(id) },
  { title: 'Published', minor: true, draw: ({ createdAt }) => <DateTimeText at={createdAt} /> },
  { title: 'Type', draw: ({ type }) => type },
  { title: 'About', draw: ({ resourceId }) => shortId(resourceId) },
];

export const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'Delivery', draw: ({ id }) => shortId(id) },
  { title: 'Created', minor: true, draw: ({ createdAt }) => <DateTimeText at={createdAt} /> },
  { title: 'Event', draw: ({ type }) => type },
  { title: 'Webhook', minor: true, draw: ({ webhookId }) => webhookId },
  { title: 'State', draw: ({ state }) => <StateWord state={state} /> },
  { title: 'Attempts', number: true, draw: ({ attempts }) => attempts.length },
];

/** An event and its deliveries to webhooks. */
export function EventDetail({ event }: { event: StoredEvent }) {
  const { data = [], again } = useControlQuery<Delivery[]>(
    `/webhook-deliveries?eventId=${encodeURIComponent(event.id)}`,
    /^webhook\./,
  );
  return (
    <>
      <h2>{event.type}</h2>
      <p>
        <a href={linkTo('traffic', { payment: event.resourceId })}>
          The traffic about {shortId(event.resourceId)}
        </a>
      </p>
      <JsonView value={event} />
      <h3>Deliveries</h3>
      {data.length === 0 && <p class="none">No webhook was subscribed to this event.</p>}
      {data.map((delivery) => (
        <DeliveryDetail key={delivery.id} delivery={delivery} onDone={again} />
      ))}
    </>
  );
}

/** One delivery with every attempt. */
export function DeliveryDetail({ delivery, onDone }: { delivery: Delivery; onDone: () => void }) {
  const { id, webhookId, type, state, why, nextAttemptAt, attempts } = delivery;
  return (
    <section class="part" aria-label={`Delivery ${id}`}>
      <h3>
        {type} to {webhookId} <StateWord state={state} />
      </h3>
      {why && <p>{why}</p>}
      {nextAttemptAt && (
        <p class="none">
          Next attempt: <DateTimeText at={nextAttemptAt} />
        </p>
      )}
      <GatewayCallButton path={encodePath`/webhook-deliveries/${id}/replay`} onDone={onDone}>
        Send it again
      </GatewayCallButton>
      <ol class="attempts">
        {attempts.map(({ at, status, error, by, durationMs, answer }, index) => (
          <li key={index}>
            <DateTimeText at={at} /> · {error ?? status} after {durationMs} ms{' '}
            <span class="none">by {by}</span>
            {answer && <pre>{answer}</pre>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Shows the webhooks: the addresses to which events are sent. */
export function Webhooks() {
  const { data = [], again } = useControlQuery<Webhook[]>('/webhooks', /^(webhook|control)\./);
  if (data.length === 0)
    return (
      <p class="none nothing">
        No webhook is registered. Register one with POST /control/webhooks, or under `webhooks` in the
        configuration.
      </p>
    );
  return (
    <div class="parts">
      {data.map(({ id, url, enabled, disabledWhy, types, accountId }) => (
        <section key={id} class="part" aria-label={`Webhook ${id}`}>
          <h3>
            {id}{' '}
            <StateWord state={enabled ? 'delivered' : 'failed'}>{enabled ? 'enabled' : 'disabled'}</StateWord>
          </h3>
          <FactList
            facts={{
              URL: url,
              Account: accountId,
              Events: types?.join(', ') ?? 'all',
              'Disabled because': disabledWhy,
            }}
          />
          <div class="buttons">
            <GatewayCallButton
              method="PATCH"
              path={encodePath`/webhooks/${id}`}
              body={{ enabled: !enabled }}
              onDone={again}
            >
              {enabled ? 'Disable it' : 'Enable it'}
            </GatewayCallButton>
            <GatewayCallButton path={encodePath`/webhooks/${id}/probe`} onDone={again}>
              Send a forged message
            </GatewayCallButton>
          </div>
        </section>
      ))}
    </div>
  );
}
