import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { IdentifierGenerator } from '../../shared/random.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openCluster } from '../cluster/cluster.ts';
import { endDeliveries, openServices, type Services, stopServices } from '../services.ts';
import { openGatewayStore } from '../store/store.ts';
import { type Reaction, Receiver } from './receiver.fixture.ts';

const caller = { accountId: 'shop', environment: 'sandbox' } as const;

describe.runIf(hasPostgres())('deliveries by one of several gateways', () => {
  const server = prepareDatabasesForFile();
  /**
   * The intervals are so long that no gateway looks for work by itself. A gateway looks for work only when the test
   * calls `look`.
   */
  const paces = { beatMs: 3_600_000, deadAfterMs: 3_600_000 };

  /**
   * Opens one of the gateways. `jump` moves the gateway's clocks by this many ms at once, as if its process had been
   * paused.
   */
  async function member(url: string) {
    let jumpedMs = 0;
    const realClock = { ...systemClock, monotonic: () => systemClock.monotonic() + jumpedMs };
    const own = createRuntime();
    const store = await openGatewayStore({ url, clock: systemClock });
    const cluster = await openCluster({ ...own, realClock }, store, { paces });
    const { clock } = cluster;
    const runtime = { ...own, realClock, clock, identifiers: new IdentifierGenerator(clock, own.random) };
    const services = await openServices(runtime, store, { cluster });
    onTestFinished(async () => {
      stopServices(services);
      await endDeliveries(services);
      await cluster.close();
      await store.close();
    });
    const jump = (ms: number) => {
      jumpedMs += ms;
    };
    return { ...services, jump, look: () => cluster.leases.askNow() };
  }

  async function setup(react?: () => Reaction) {
    const postgres = await server();
    const url = await postgres.newGatewaysUrl();
    const receiver = await Receiver.start(react);
    onTestFinished(() => receiver.close());
    const one = await member(url);
    await one.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR', cardOnFile: true });
    await one.contacts.createContact({ id: 'robin', accountId: 'shop', name: 'Robin' });
    await one.contacts.createCard('robin', { id: 'visa', card: 'visa' });
    await one.contacts.createBankAccount({ id: 'bank', accountId: 'shop', name: 'Bank' });
    await one.webhooks.create({ id: 'hook', accountId: 'shop', url: receiver.url });
    const other = await member(url);
    await one.look(); // the first gateway gets the lease
    /** Makes every lease expire, as if the database's clock had reached the end of the lease. */
    const runOut = () => postgres.sql('update leases set expires_at = 1', url);
    const received = (count: number) =>
      expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(count);
    return { one, other, receiver, runOut, received };
  }

  const preauthorize = async ({ debits }: Services) => {
    const given = { contactId: 'robin', creditCardId: 'visa', toBankAccountId: 'bank', statement: 'ORDER' };
    return (await debits.preauthorize({ caller, amount: 10, ...given })).id;
  };
  const type = (name: string) => `payments.debits.${name}`;

  test('are sent by the gateway with the lease, whichever gateway made them, in the order of the changes (B108)', async () => {
    const { one, other, receiver, received } = await setup();
    const ids: string[] = [];
    for (const gateway of [one, other, one, other]) ids.push(await preauthorize(gateway));
    for (const [index, id] of ids.entries()) await (index < 2 ? one : other).debits.capture(caller, id);
    await other.look();
    await one.look();
    await received(8);
    for (const id of ids) expect(receiver.typesOf(id)).toEqual([type('preauthorized'), type('paid')]);
    const log = async () => {
      const deliveries = await other.deliveries.list({ limit: 100 });
      return new Set(deliveries.map(({ state, attempts }) => `${state} ${attempts.length}`));
    };
    await expect.poll(log, { timeout: 60_000 }).toEqual(new Set(['delivered 1']));
  });

  test('are not sent by a gateway that stood still beyond its lease (B108)', async () => {
    const { one, other, receiver, runOut, received } = await setup();
    const standsStill = Promise.withResolvers<void>();
    const continues = Promise.withResolvers<void>();
    const byId = one.events.byId.bind(one.events);
    one.events.byId = async (tx, id) => {
      const event = await byId(tx, id);
      standsStill.resolve(); // by now the delivery was read and is about to be sent
      await continues.promise;
      return event;
    };
    const debit = await preauthorize(one);
    await standsStill.promise;
    await runOut();
    await other.look();
    await received(1);
    await other.debits.capture(caller, debit);
    await received(2);
    one.jump(60_000);
    continues.resolve();
    await one.look();
    const [first] = (await one.deliveries.list({ limit: 2 })).toReversed();
    // The gateway handles this call only after it has sent all events that it sends by itself.
    await one.deliveries.replay(first?.id ?? '');
    expect(receiver.types).toEqual([type('preauthorized'), type('paid'), type('preauthorized')]);
  });

  test.each(['reads', 'counts faults'] as const)(
    'are not sent under a former lease by a gateway that %s so late that it has another lease (B351)',
    async (does) => {
      const { one, other, receiver, runOut, received } = await setup(() => 'hangs');
      const standsStill = Promise.withResolvers<void>();
      const continues = Promise.withResolvers<void>();
      const late = async <Result>(work: () => Promise<Result>) => {
        standsStill.resolve();
        await continues.promise;
        return work();
      };
      const { byId } = one.events;
      const { takeForEvent } = one.faults;
      if (does === 'reads') one.events.byId = (...asked) => late(() => byId.apply(one.events, asked));
      else {
        await one.faults.add({ fault: 'loseEvent', after: 100, times: 1 });
        one.faults.takeForEvent = (...asked) => late(() => takeForEvent.apply(one.faults, asked));
      }
      await preauthorize(one);
      await standsStill.promise;
      one.events.byId = byId;
      one.faults.takeForEvent = takeForEvent;
      await runOut();
      await other.look(); // this gateway gets the lease and sends
      await received(1);
      await runOut();
      one.jump(60_000);
      await one.look(); // this gateway gets the lease again and sends
      await received(2);
      receiver.react = () => 204;
      continues.resolve();
      const [delivery] = await one.deliveries.list({ limit: 1 });
      // The gateway handles this call only after it has sent all events that it sends by itself.
      await one.deliveries.replay(delivery?.id ?? '');
      expect(receiver.received).toHaveLength(3);
    },
  );

  test('pass to the next gateway, and are not repeated if both know that they arrived', async () => {
    const { one, other, receiver, runOut, received } = await setup(() => 500);
    const debit = await preauthorize(one);
    await received(1);
    await one.debits.capture(caller, debit);
    const another = await preauthorize(other);
    await one.look();
    await received(2);
    receiver.react = () => 204;
    await runOut();
    other.jump(60_000); // now every delivery is due
    await other.look();
    await received(5);
    for (const [id, types] of [
      [debit, ['preauthorized', 'paid']],
      [another, ['preauthorized']],
    ] as const)
      expect(receiver.typesOf(id).slice(1)).toEqual(types.map(type));
    const states = async () => (await one.deliveries.list({ limit: 10 })).map(({ state }) => state);
    await expect.poll(states, { timeout: 60_000 }).toEqual(['delivered', 'delivered', 'delivered']);
    await one.look();
    expect(receiver.received).toHaveLength(5);
  });

  test('are sent for the rest of a resource after any gateway sent the first by hand', async () => {
    const { one, other, receiver, received } = await setup(() => 500);
    const debit = await preauthorize(one);
    await received(1);
    await other.debits.capture(caller, debit);
    const [first] = (await other.deliveries.list({ limit: 2 })).toReversed();
    receiver.react = () => 204;
    await other.deliveries.replay(first?.id ?? '');
    await one.look();
    await received(3);
    expect(receiver.types).toEqual([type('preauthorized'), type('preauthorized'), type('paid')]);
  });

  test('include events for a webhook that another gateway made just before', async () => {
    const { one, other, receiver, received } = await setup();
    await other.webhooks.create({ id: 'new', accountId: 'shop', url: receiver.url });
    await preauthorize(other);
    await one.look();
    await received(2);
  });
});
