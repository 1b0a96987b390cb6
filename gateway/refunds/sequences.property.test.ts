import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scaledDraws } from '../../test/draws.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import type { StoredEvent } from '../events/stored-event.ts';
import { computeRefundableCents, RefundsModel } from './model.fixture.ts';
import { anyStep, Simulation, type Step } from './simulation.fixture.ts';

const surcharge = fc.constantFrom(0, 2.5);
const seed = 20260101;

/** The allowed sequences of events about one debit, refund or payment link. Each event reports a new state. */
const legal = [
  /^debits\.(completed|failed)$/,
  /^debits\.preauthorized( debits\.(paid|failed|voided))?$/,
  /^credits\.initiated( credits\.(completed|failed|expired))?$/,
  /^refunds\.failed$/,
  /^refunds\.created( refunds\.submitted)?( refunds\.failed)?$/,
];

type Start = (surchargePercent: number) => Promise<Simulation>;

async function simulate(started: Promise<Simulation>, work: (simulation: Simulation) => Promise<void>) {
  const simulation = await started;
  try {
    await work(simulation);
  } finally {
    await simulation.stop();
  }
}

/** Checks what must be true after any sequence of steps. The work of all steps must be done before the call. */
async function holds(simulation: Simulation): Promise<void> {
  await simulation.clock.advance(0);
  const warnings = simulation.runtime.journal.since().filter(({ kind }) => kind === 'warning');
  expect(
    warnings.map(({ data }) => JSON.stringify(data)).filter((text) => !text.includes('repeats')),
  ).toEqual([]);
  expect(await simulation.books()).toMatchObject({ agree: true, disagreements: [] });
  expect(await simulation.stored('debits')).toHaveLength(simulation.requests);
  expect((await simulation.stored('refunds')).toSorted()).toEqual(simulation.refunds.toSorted());
  expect((await simulation.stored('credits')).toSorted()).toEqual(simulation.links.toSorted());
  const events = await simulation.events();
  await simulation.reported();
  const byResource = Map.groupBy(events, ({ resourceId }) => resourceId);
  expect(ids(Map.groupBy(simulation.published, ({ resourceId }) => resourceId))).toEqual(ids(byResource));
  const all = [...simulation.debits, ...simulation.refunds, ...simulation.links];
  expect([...byResource.keys()].toSorted()).toEqual(all.toSorted());
  for (const ofOne of byResource.values()) pathHolds(ofOne);
  for (const id of simulation.debits) await sumsHold(simulation, id, byResource);
  for (const id of simulation.links)
    expect(byResource.get(id)?.at(-1)?.data.status).toBe(await simulation.linkState(id));
}

function ids(events: Map<string, StoredEvent[]>): Map<string, string[]> {
  return new Map([...events].map(([resource, ofOne]) => [resource, ofOne.map(({ id }) => id)]));
}

function pathHolds(events: StoredEvent[]): void {
  const path = events.map(({ type }) => type.replace('payments.', '')).join(' ');
  expect(
    legal.some((way) => way.test(path)),
    path,
  ).toBe(true);
}

async function sumsHold(
  simulation: Simulation,
  id: string,
  events: Map<string, StoredEvent[]>,
): Promise<void> {
  const { debit, state, refunds } = await simulation.known(id);
  const { captured, charged, processing, submitted, refundable: left, blocked } = state;
  expect(left + processing + submitted).toBe(charged);
  expect(charged).toBe(debit.state === 'paid' ? debit.amount + debit.surcharge : 0);
  expect(captured).toBe(debit.state === 'paid' ? debit.amount : 0);
  expect(left).toBeGreaterThanOrEqual(blocked);
  expect(blocked).toBeGreaterThanOrEqual(0);
  for (const { id: resource, status } of [{ id, status: debit.state }, ...refunds])
    expect(events.get(resource)?.at(-1)?.data.status).toBe(status);
}

async function modelHolds(simulation: Simulation, model: RefundsModel): Promise<void> {
  for (const [id, { state }] of model.links) expect(await simulation.linkState(id)).toBe(state);
  for (const [id, expected] of model.debits) {
    const { debit, state, refunds } = await simulation.known(id);
    expect(debit.state).toBe(expected.state);
    expect(state.refundable).toBe(computeRefundableCents(expected));
    expect(state.blocked).toBe(expected.blocked);
    expect(refunds.map(({ status, amount }) => `${status} ${amount}`)).toEqual(
      expected.refunds.map(({ status, cents }) => `${status} ${cents}`),
    );
  }
}

/** Defines the tests. They run with one gateway and SQLite, or with two gateways and PostgreSQL. */
function properties(numRuns: number, start: Start): void {
  const options = { seed, numRuns };

  test('requests that come one after the other are answered as the model says (B90)', async () => {
    await fc.assert(
      fc.asyncProperty(surcharge, fc.array(anyStep, { minLength: 5, maxLength: 40 }), (percent, steps) =>
        simulate(start(percent), async (simulation) => {
          const model = new RefundsModel(percent);
          for (const step of steps) {
            const expected = model.expects(step, simulation);
            const chosen = 'of' in step ? step.of : 0;
            const before = {
              debit: simulation.debit(chosen),
              refund: simulation.refund(chosen),
              link: simulation.link(chosen),
            };
            const answer = await simulation.do(step);
            expect(answer, JSON.stringify(step)).toBe(expected);
            model.did(step, answer, simulation, before);
            await modelHolds(simulation, model);
          }
          await holds(simulation);
        }),
      ),
      options,
    );
  });

  test('the sums and the books stay correct if many requests come at once', async () => {
    const atOnce = anyStep.filter((step: Step) => step.do !== 'advance' && step.do !== 'restart');
    const rounds = fc.array(
      fc.record({
        steps: fc.array(atOnce, { minLength: 1, maxLength: 15 }),
        thenMs: fc.constantFrom(0, 0, 2000, 5000, 7 * 24 * 3_600_000),
      }),
      { minLength: 2, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(surcharge, rounds, (percent, given) =>
        simulate(start(percent), async (simulation) => {
          for (const { steps, thenMs } of given) {
            await Promise.all(steps.map((step) => simulation.do(step)));
            await holds(simulation);
            await simulation.advance(thenMs);
            await holds(simulation);
          }
        }),
      ),
      options,
    );
  });

  test('the sums and the books stay correct if requests meet timers at the same moment', async () => {
    const duringAdvance = anyStep.filter((step: Step) => step.do !== 'advance' && step.do !== 'restart');
    await fc.assert(
      fc.asyncProperty(
        surcharge,
        fc.array(
          fc.tuple(fc.array(duringAdvance, { maxLength: 6 }), fc.constantFrom(1999, 2000, 5000, 604_800_000)),
          {
            minLength: 2,
            maxLength: 8,
          },
        ),
        (percent, given) =>
          simulate(start(percent), async (simulation) => {
            for (const [steps, ms] of given) {
              const answered: Promise<unknown>[] = [];
              simulation.clock.setTimeout(
                () => answered.push(...steps.map((step) => simulation.do(step)), simulation.look()),
                ms,
              );
              await simulation.advance(ms);
              await Promise.all(answered);
              await holds(simulation);
            }
          }),
      ),
      options,
    );
  });
}

describe('one gateway', () => {
  properties(scaledDraws(10), (surchargePercent) => Simulation.start({ surchargePercent }));
});

describe.runIf(hasPostgres())('two gateways of a database', () => {
  const server = prepareDatabasesForFile();

  const start: Start = async (surchargePercent) => {
    const postgres = await server();
    await postgres.drop();
    return Simulation.start({ surchargePercent, database: await postgres.newGatewaysUrl() });
  };

  properties(scaledDraws(1), start);

  test("that decide about one debit at the same moment do not both use the state before the other's change", async () => {
    await simulate(start(0), async (simulation) => {
      for (let of = 0; of < 10; of++) {
        await simulation.do({ do: 'charge', card: 'visa', cents: 1000 });
        const both = [600, 700].map((cents) => simulation.do({ do: 'refund', of, cents }));
        expect((await Promise.all(both)).sort()).toEqual(['done', 'refundExceedsRefundableAmount']);
      }
      await holds(simulation);
    });
  });
});
