import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CommitResult } from '../../../shared/database/change.ts';
import { TaskQueueFullError } from '../../../shared/lanes.ts';
import { hasNats, NatsServer } from '../../../test/nats-server.ts';
import { testThoroughly } from '../../../test/optional-programs.ts';
import { prepareDatabasesForFile } from '../../../test/postgres-for-file.ts';
import { hasPostgres } from '../../../test/postgres-programs.ts';
import { PostgresServer } from '../../../test/postgres-server.ts';
import { compareBooks } from '../../acquirer/books.ts';
import { makeApproval } from '../../payments/test-terminal.fixture.ts';
import { type ClusterGateway, openClusterGateways, terminalId } from './many-gateways.fixture.ts';

const testInCi = testThoroughly();

/**
 * With these intervals, no gateway searches the database for other gateways' work during a test. A gateway learns of
 * another gateway's changes only when the database refuses a write.
 */
const asleep = { beatMs: 3_600_000, deadAfterMs: 3_600_000 };
const success = { result: 'success' };
const failure = (errorCondition: string) => ({ result: 'failure', errorCondition });

describe.runIf(hasPostgres())('several gateways of one database', () => {
  const server = prepareDatabasesForFile();
  const started = async (
    ...options: Parameters<typeof openClusterGateways> extends [unknown, ...infer More] ? More : never
  ) =>
    (await openClusterGateways(await server(), ...options)) as [
      ClusterGateway,
      ClusterGateway,
      ClusterGateway,
    ];

  test('each accept a payment, even for a terminal of another gateway, and know its result', async () => {
    const [here, there] = await started(2);
    const terminal = await here.connect();
    await here.seen('link.opened');
    const paying = there.pay(25, 'k');
    await terminal.pay();
    const { status, body } = await paying;
    expect([status, body.response]).toMatchObject([200, success]);
    for (const gateway of [here, there]) {
      expect(await gateway.pay(25, 'k')).toMatchObject({ status: 200, body });
      expect(await gateway.latest()).toMatchObject({ status: 200, body });
    }
    expect(await compareBooks(here.gateway.store)).toMatchObject({ agree: true });
  });

  test.each(['here', 'there'])(
    'all refuse a payment for a busy terminal, if the earlier payment came in %s',
    async (where) => {
      const [here, there] = await started(2);
      const terminal = await here.connect();
      const paying = (where === 'here' ? here : there).pay(25);
      const request = await terminal.next('PaymentRequest');
      const inTheWay = request.body.SaleData.SaleTransactionID.TransactionID;
      for (const [nth, gateway] of [here, there].entries()) {
        expect((await gateway.pay(30, `busy-${nth}`)).body.response).toMatchObject(failure('busy'));
        const caller = { accountId: 'shop', environment: 'sandbox', tokenId: 'token' } as const;
        const reference = { idempotencyKey: `busy-${nth}` };
        const refused = await gateway.gateway.payments.statusNow(caller, reference, gateway.arrivesNow());
        expect(refused?.outcome).toMatchObject({ reason: 'Busy', busyWith: inTheWay });
      }
      await terminal.authorize(request);
      terminal.approve(request);
      expect((await paying).body.response).toMatchObject(success);
    },
  );

  test('make one payment of one key, however many requests arrive at once and at whichever gateway', async () => {
    const all = await started(3);
    const terminal = await all[0].connect();
    const paying = [...all, ...all].map((gateway) => gateway.pay(25, 'k'));
    await terminal.pay();
    const answers = await Promise.all(paying);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body.response).toMatchObject(success);
    expect(terminal.received).toEqual([]);
  });

  test('each hold a status call until the end of a payment that another gateway runs', async () => {
    const [here, there] = await started(2);
    const terminal = await here.connect();
    const paying = here.pay(25, 'k');
    const request = await terminal.next('PaymentRequest');
    const id = request.body.SaleData.SaleTransactionID.TransactionID;
    const asking = [there.status(id), there.latest(), there.pay(25, 'k')];
    await there.seen('http.received', ({ data }) => data.path.endsWith('/payment-request'));
    await terminal.authorize(request);
    terminal.approve(request);
    const { body } = await paying;
    for (const asked of asking) expect(await asked).toMatchObject({ status: 200, body });
  });

  test('each pass an abort on to the terminal, and learn when it arrived', async () => {
    const [here, there] = await started(2);
    const terminal = await here.connect();
    const paying = here.pay(25, 'k');
    const request = await terminal.next('PaymentRequest');
    const aborting = there.abort('k');
    await terminal.next('AbortRequest');
    expect((await aborting).status).toBe(204);
    const again = there.abort('k');
    await terminal.next('AbortRequest');
    expect((await again).status).toBe(204);
    terminal.refuse(request, 'Aborted');
    expect((await paying).body.response).toMatchObject(failure('aborted'));
    expect((await there.abort('k')).status).toBe(204);
  });

  test('answer an abort and a status that do not wait at once, also for a payment of another gateway', async () => {
    const [here, there] = await started(2);
    const terminal = await here.connect();
    const paying = here.pay(25, 'k');
    const request = await terminal.next('PaymentRequest');
    const { payments } = there.gateway;
    const caller = { accountId: 'shop', environment: 'sandbox', tokenId: 'token' } as const;
    const now = there.arrivesNow();
    const statusNow = () => payments.statusNow(caller, { idempotencyKey: 'k' }, now);
    const abortNow = (idempotencyKey = 'k') => payments.abortNow(caller, { idempotencyKey }, now);
    expect(await statusNow()).not.toHaveProperty('outcome');
    expect(await abortNow()).toBe('handedOn');
    await terminal.next('AbortRequest');
    terminal.refuse(request, 'Aborted');
    await paying;
    expect(await statusNow()).toMatchObject({ outcome: { result: 'failure', reason: 'Aborted' } });
    expect(await abortNow()).toBe('concluded');
    expect(await abortNow('other')).toBe('unknown');
  });

  testInCi('end a payment in time if no gateway has its terminal, and each can abort it', async () => {
    const [here, there] = await started(2, { timeouts: { paymentCapMs: 1_000 } });
    const first = await here.pay(25);
    expect(first.status).toBe(303);
    for (const gateway of [here, there])
      expect((await gateway.status(first.body.identifier)).body.response).toMatchObject(
        failure('unreachableHost'),
      );
  });

  test('end a payment as aborted if it is aborted before its delivery', async () => {
    const [here, there] = await started(2);
    const paying = here.pay(25, 'k');
    await here.seen('payment.accepted');
    expect((await there.abort('k')).status).toBe(204);
    expect((await paying).body.response).toMatchObject(failure('aborted'));
  });

  test('move a payment along if its terminal dials another gateway', async () => {
    const [here, there] = await started(2);
    const before = await here.connect();
    const paying = here.pay(25, 'k');
    const request = await before.next('PaymentRequest');
    await before.authorize(request);
    const after = await there.connect();
    const asked = await after.next('TransactionStatusRequest');
    expect(asked.body.MessageReference.ServiceID).toBe(request.header.ServiceID);
    await expect.poll(() => before.closed?.code, { timeout: 60_000 }).toBe(4001);
    after.answerStatus(asked, makeApproval(request.body));
    expect((await paying).body.response).toMatchObject(success);
    const next = here.pay(30);
    await after.pay();
    expect((await next).body.response).toMatchObject(success);
    expect(await compareBooks(here.gateway.store)).toMatchObject({ agree: true });
  });

  test('leave a terminal to the gateway with its latest dial, if an earlier dial is handled late (B189)', async () => {
    const [here, there] = await started(2);
    const live = await here.connect({ instance: 'A', count: 2 });
    const paying = there.pay(25);
    const request = await live.next('PaymentRequest');
    const former = await there.connect({ instance: 'A', count: 1 });
    await expect.poll(() => former.closed, { timeout: 60_000 }).toEqual({ code: 4001, reason: 'yours' });
    await live.authorize(request);
    live.approve(request);
    expect((await paying).body.response).toMatchObject(success);
    expect(live.closed).toBeUndefined();
  });

  test.each([
    ['the same link, dialled again', { instance: 'A', count: 3 }, 'yours'],
    ['another process', { instance: 'B', count: 1 }, "another's"],
    ['a terminal that does not count', undefined, "another's"],
  ])('say who has the terminal that one of them loses: %s (B190)', async (_what, dial, reason) => {
    const [here, there] = await started(2);
    const before = await here.connect({ instance: 'A', count: 2 });
    const paying = here.pay(25);
    const request = await before.next('PaymentRequest');
    await before.authorize(request);
    const after = await there.connect(dial);
    await expect.poll(() => before.closed, { timeout: 60_000 }).toEqual({ code: 4001, reason });
    after.answerStatus(await after.next('TransactionStatusRequest'), makeApproval(request.body));
    expect((await paying).body.response).toMatchObject(success);
  });

  test('let a former owner that was not notified change nothing', async () => {
    const [here, there] = await started(2, { paces: asleep });
    const before = await here.connect();
    const paying = here.pay(25, 'k');
    const request = await before.next('PaymentRequest');
    await before.authorize(request);
    const after = await there.connect();
    const asked = await after.next('TransactionStatusRequest');
    before.approve(request);
    await expect.poll(() => before.closed?.code, { timeout: 60_000 }).toBe(4001);
    after.answerStatus(asked, 'InProgress');
    const stored = () => there.gateway.explanations.list({ limit: 1 });
    await expect.poll(stored, { timeout: 60_000 }).toMatchObject([{ state: 'onTerminal', result: null }]);
    after.refuse(request, 'Cancel');
    await there.seen('payment.concluded');
    expect((await there.pay(25, 'k')).body.response).toMatchObject(failure('cancel'));
    expect(await compareBooks(there.gateway.store)).toMatchObject({ agree: true });
    // The first payment request gets its answer only when its gateway stops.
    void paying.catch(() => {});
  });

  test('end the link of an idle terminal that another gateway took, even if its owner was not notified', async () => {
    const [here, there] = await started(2);
    const before = await here.connect();
    const paying = here.pay(25);
    await before.pay();
    await paying;
    await there.connect();
    await expect.poll(() => before.closed?.code, { timeout: 20_000 }).toBe(4001);
  });

  testInCi('see, when they accept a payment, what another accepted before on its terminal', async () => {
    const [here, there] = await started(2, { paces: asleep });
    const terminal = await here.connect();
    void there.pay(25, 'k').catch(() => {});
    await there.seen('payment.accepted');
    expect((await here.pay(30)).body.response).toMatchObject(failure('busy'));
    await terminal.pay();
    await here.seen('payment.concluded', ({ data }) => data.result === 'success');
    expect((await here.pay(25, 'k')).body.response).toMatchObject(success);
  });

  test.runIf(hasNats())('do not wait for the next sweep of the database if they have NATS', async () => {
    const nats = await NatsServer.start();
    onTestFinished(() => nats.remove());
    const [here, there] = await started(2, { paces: asleep, nats: nats.url() });
    const before = await here.connect();
    await there.reachesOwner();
    const paying = there.pay(25, 'k');
    await before.pay();
    const { body } = await paying;
    expect(body.response).toMatchObject(success);
    const next = there.pay(30, 'next');
    const request = await before.next('PaymentRequest');
    const joining = there.status(request.body.SaleData.SaleTransactionID.TransactionID);
    const aborting = there.abort('next');
    await before.next('AbortRequest');
    expect((await aborting).status).toBe(204);
    const after = await there.connect();
    await expect.poll(() => before.closed?.code, { timeout: 60_000 }).toBe(4001);
    after.answerStatus(await after.next('TransactionStatusRequest'), makeApproval(request.body));
    for (const held of [next, joining])
      expect((await held).body.response).toMatchObject(failure('unavailableService')); // the payment was not authorized
  });

  test.runIf(hasNats())('deliver a payment that is offered over NATS once, as it is stored', async () => {
    const nats = await NatsServer.start();
    onTestFinished(() => nats.remove());
    const [here, there] = await started(2, { paces: asleep, nats: nats.url() });
    const terminal = await here.connect();
    await there.reachesOwner();
    const former = here.pay(25);
    await terminal.pay();
    await former;
    const offer = await there.accepted();
    there.offer({ ...offer, message: offer.message.replace('"RequestedAmount":25', '"RequestedAmount":99') });
    const request = await terminal.next('PaymentRequest');
    expect(request.body.PaymentTransaction.AmountsReq.RequestedAmount).toBe(25);
    await terminal.authorize(request);
    terminal.approve(request);
    expect((await there.status(offer.id)).body.response).toMatchObject(success);
    there.offer(offer);
    const next = there.pay(30);
    const { body } = await terminal.pay();
    expect(body.PaymentTransaction.AmountsReq.RequestedAmount).toBe(30);
    expect((await next).body.response).toMatchObject(success);
    expect(await compareBooks(here.gateway.store)).toMatchObject({ agree: true });
  });

  test('take a payment up first, if its terminal asks the host and its gateway was not notified of it', async () => {
    const [here, there] = await started(2, { paces: asleep });
    const terminal = await here.connect();
    const paying = here.pay(25);
    const former = await terminal.pay();
    await paying;
    const { id, message, service_id } = await there.accepted();
    const early = {
      ...former,
      header: { ...former.header, ServiceID: service_id },
      body: JSON.parse(message),
    };
    expect(await terminal.authorize(early, { AttemptID: 'early' })).toMatchObject({ Approved: true });
    const request = await terminal.next('PaymentRequest');
    expect(request.body.SaleData.SaleTransactionID.TransactionID).toBe(id);
    expect(await terminal.authorize(request)).toMatchObject({ Approved: true });
    terminal.approve(request);
    await here.seen('payment.concluded', (entry) => entry.payment === id);
    expect((await there.status(id)).body.response).toMatchObject(success);
    expect(await compareBooks(here.gateway.store)).toMatchObject({ agree: true });
  });

  testInCi('get the terminals of a gateway at once if it shuts down', async () => {
    const [here, there] = await started(2);
    const before = await here.connect();
    const paying = there.pay(25);
    const request = await before.next('PaymentRequest');
    await before.authorize(request);
    await here.close();
    const after = await there.connect();
    after.answerStatus(await after.next('TransactionStatusRequest'), makeApproval(request.body));
    expect((await paying).body.response).toMatchObject(success);
  });

  testInCi(
    'declare a gateway dead while it is cut off from the database, and it learns that when it is back',
    async () => {
      const timeouts = { lostAfterAcceptanceMs: 1_000, lostAfterLossMs: 500 };
      const [here, there] = await started(2, { timeouts });
      const terminal = await here.connect();
      const paying = there.pay(25, 'k');
      await terminal.next('PaymentRequest');
      here.wire.fate = () => 'cut';
      here.wire.dropAll();
      // The terminal never dialled the other gateway, so the payment fails with the error for a lost terminal.
      expect((await paying).body.response).toMatchObject(failure('deviceOut'));
      expect((await here.pay(30)).status).toBe(503);
      here.wire.fate = () => 'arrive';
      await expect.poll(() => terminal.closed?.code, { timeout: 60_000 }).toBe(1001);
      // When the gateway learns that it was declared dead, it gives up all its terminals. The gateway also gives up a
      // terminal that is connected to it but belongs to another gateway.
      await here.seen('warning', ({ data }) => data.message.includes('treated this gateway as dead'));
      const again = await here.connect();
      const next = there.pay(30);
      await again.pay();
      expect((await next).body.response).toMatchObject(success);
      expect(await compareBooks(there.gateway.store)).toMatchObject({ agree: true });
    },
  );

  test('give up a terminal at once if they were declared dead while too many inputs wait for it', async () => {
    const [here] = await started(1);
    const terminal = await here.connect();
    await here.seen('link.opened');
    const { store, acquirer, cluster } = here.gateway;
    await expect.poll(() => cluster?.ownership.owned, { timeout: 60_000 }).toEqual([terminalId]);
    const outcome = { type: 'approve' } as const;
    const set = () =>
      acquirer.outcomes.set({ scope: 'terminal', subject: terminalId, mode: 'always', outcome });
    const committing = Promise.withResolvers<CommitResult>();
    const commit = vi.spyOn(store, 'commit').mockReturnValue(committing.promise);
    const first = set();
    await vi.waitFor(() => expect(commit).toHaveBeenCalled(), { timeout: 60_000 });
    // The first change has its turn until its commit ends. A thousand further changes wait for their turns. One more
    // change is refused.
    const changed = Promise.allSettled([first, ...Array.from({ length: 1_001 }, set)]);
    await store.beside((db) => db.updateTable('gateways').set({ ended: 1 }).execute());
    await here.seen('warning', ({ data }) => data.message.includes('treated this gateway as dead'));
    await expect.poll(() => terminal.closed?.code, { timeout: 60_000 }).toBe(1001);
    committing.resolve({ is: 'applied' });
    expect((await changed).at(-1)).toMatchObject({ reason: new TaskQueueFullError('more than 1000 wait') });
  });

  testInCi('decide and store the same if the clock of one machine is wrong by half an hour', async () => {
    const [here, there] = await started(2, { wrongByMs: 1_800_000 });
    const terminal = await there.connect();
    for (const gateway of [here, there]) {
      const paying = gateway.pay(25);
      await terminal.pay();
      expect((await paying).body.response).toMatchObject(success);
      expect((await gateway.latest()).status).toBe(200);
    }
    const stored = await here.gateway.explanations.list({ limit: 2 });
    const moments = stored.flatMap(({ acceptedAt, concludedAt }) => [acceptedAt, concludedAt ?? '']);
    const now = here.gateway.runtime.clock.now();
    for (const moment of moments) expect(Math.abs(now - Date.parse(moment))).toBeLessThan(600_000);
  });

  testInCi('declare none dead while PostgreSQL is gone, and continue payments when it is back', async () => {
    const own = await PostgresServer.start();
    onTestFinished(() => own.remove());
    // On a busy machine, one of the two gateways may reach the database again seconds before the other one. During
    // these seconds the slower gateway must not count as dead. gateways.test.ts tests longer outages.
    const paces = { beatMs: 50, deadAfterMs: 60_000 };
    const [here, there] = (await openClusterGateways(own, 2, { paces })) as [ClusterGateway, ClusterGateway];
    const terminal = await here.connect();
    const paying = there.pay(25);
    const request = await terminal.next('PaymentRequest');
    const id = here.gateway.cluster?.gateways.id;
    await own.kill();
    const answered: number[] = [];
    const refused = () => {
      // It is possible that the first requests are not refused: a request waits if its commit was under way when the
      // database stopped. So the test sends requests until one is refused.
      void there.pay(30).then(({ status }) => answered.push(status));
      return answered;
    };
    await expect.poll(refused, { timeout: 60_000 }).toContain(503);
    await own.run();
    for (const gateway of [here, there])
      await expect.poll(async () => (await gateway.pay(30)).status, { timeout: 60_000 }).toBe(200);
    await terminal.authorize(request);
    terminal.approve(request);
    expect((await paying).body.response).toMatchObject(success);
    expect([here.gateway.cluster?.gateways.id, terminal.closed]).toEqual([id, undefined]);
  });

  testInCi(
    'refuse the next payment on a terminal while they cannot learn the result of its current payment',
    async () => {
      const [here] = await started(1);
      const terminal = await here.connect();
      await here.seen('link.opened');
      here.wire.fate = (direction, data) => {
        if (direction === 'up' && data.includes('insert into "payments"')) here.wire.fate = () => 'cut';
        return 'arrive';
      };
      const paying = here.pay(25);
      const cannotSay = () => expect(() => here.gateway.store.mustAnswer()).toThrow();
      await vi.waitFor(cannotSay, { timeout: 60_000 });
      expect((await here.pay(30)).status).toBe(503);
      here.wire.fate = () => 'arrive';
      await terminal.pay();
      expect((await paying).body.response).toMatchObject(success);
    },
  );

  testInCi(
    'make a terminal dial again if the gateway with the later link is not the one that took it',
    async () => {
      const [here, there] = await started(2);
      const terminal = await here.connect({ instance: 'A', count: 5 });
      const before = here.pay(25);
      await terminal.pay();
      await before;
      // This change simulates a statement about an earlier dial. The gateway that sent the statement has died, and the
      // database executes the statement only now.
      const taken = {
        epoch: 7,
        dialled_epoch: 7,
        instance: 'A',
        dial: 3,
        gateway_id: there.gateway.cluster?.gateways.id,
      };
      await here.gateway.store.write((db) => db.updateTable('terminal_owners').set(taken).execute());
      await expect.poll(() => terminal.closed?.code, { timeout: 60_000 }).toBe(1001);
      const again = await here.connect({ instance: 'A', count: 6 });
      const paying = there.pay(25);
      await again.pay();
      expect((await paying).body.response).toMatchObject(success);
    },
  );

  testInCi('take over a terminal that one of them does not yet know to be its own', async () => {
    const timeouts = { lostAfterAcceptanceMs: 1_000, lostAfterLossMs: 500 };
    const [here, there] = await started(2, { timeouts });
    const terminal = await here.connect();
    const paying = there.pay(25, 'k');
    await terminal.next('PaymentRequest');
    // This update makes the row look as if this gateway had become the terminal's owner and had not received the
    // database's answer.
    await here.gateway.store.write((db) => db.updateTable('terminal_owners').set({ epoch: 7 }).execute());
    terminal.link?.close();
    expect((await paying).body.response).toMatchObject(failure('deviceOut'));
  });
});
