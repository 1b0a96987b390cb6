import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../events/service.ts';
import { Model, refundable } from './model.fixture.ts';
import { anyStep, Play, type Step } from './play.fixture.ts';

const surcharge = fc.constantFrom(0, 2.5);
const options = { seed: 20260101, numRuns: 60 };

/** The ways a debit, a refund or a payment link can go, as their events tell them. */
const legal = [
  /^debits\.(completed|failed)$/,
  /^debits\.preauthorized( debits\.(paid|failed|voided))?$/,
  /^credits\.initiated( credits\.(completed|failed|expired))?$/,
  /^refunds\.failed$/,
  /^refunds\.created( refunds\.submitted)?( refunds\.failed)?$/,
];

async function play(percent: number, work: (game: Play) => Promise<void>): Promise<void> {
  const game = await Play.start(percent);
  try {
    await work(game);
  } finally {
    await game.stop();
  }
}

/** What must hold whatever was done, once nothing is in flight. */
async function holds(game: Play): Promise<void> {
  await game.clock.advance(0);
  const warnings = game.runtime.journal.since().filter(({ kind }) => kind === 'warning');
  expect(
    warnings.map(({ data }) => JSON.stringify(data)).filter((text) => !text.includes('repeats')),
  ).toEqual([]);
  expect(await game.books()).toMatchObject({ agree: true, disagreements: [] });
  expect(await game.stored('debits')).toHaveLength(game.requests);
  expect((await game.stored('refunds')).toSorted()).toEqual(game.refunds.toSorted());
  expect((await game.stored('credits')).toSorted()).toEqual(game.links.toSorted());
  const events = await game.events();
  expect(game.told.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  const byResource = Map.groupBy(events, ({ resourceId }) => resourceId);
  const all = [...game.debits, ...game.refunds, ...game.links];
  expect([...byResource.keys()].toSorted()).toEqual(all.toSorted());
  for (const ofOne of byResource.values()) pathHolds(ofOne);
  for (const id of game.debits) await sumsHold(game, id, byResource);
  for (const id of game.links) expect(byResource.get(id)?.at(-1)?.data.status).toBe(await game.linkState(id));
}

function pathHolds(events: StoredEvent[]): void {
  const path = events.map(({ type }) => type.replace('payments.', '')).join(' ');
  expect(
    legal.some((way) => way.test(path)),
    path,
  ).toBe(true);
}

async function sumsHold(game: Play, id: string, events: Map<string, StoredEvent[]>): Promise<void> {
  const { debit, state, refunds } = await game.known(id);
  const { captured, charged, processing, submitted, refundable: left, blocked } = state;
  expect(left + processing + submitted).toBe(charged);
  expect(charged).toBe(debit.state === 'paid' ? debit.amount + debit.surcharge : 0);
  expect(captured).toBe(debit.state === 'paid' ? debit.amount : 0);
  expect(left).toBeGreaterThanOrEqual(blocked);
  expect(blocked).toBeGreaterThanOrEqual(0);
  for (const { id: resource, status } of [{ id, status: debit.state }, ...refunds])
    expect(events.get(resource)?.at(-1)?.data.status).toBe(status);
}

async function modelHolds(game: Play, model: Model): Promise<void> {
  for (const [id, { state }] of model.links) expect(await game.linkState(id)).toBe(state);
  for (const [id, expected] of model.debits) {
    const { debit, state, refunds } = await game.known(id);
    expect(debit.state).toBe(expected.state);
    expect(state.refundable).toBe(refundable(expected));
    expect(state.blocked).toBe(expected.blocked);
    expect(refunds.map(({ status, amount }) => `${status} ${amount}`)).toEqual(
      expected.refunds.map(({ status, cents }) => `${status} ${cents}`),
    );
  }
}

test('one after the other, every request answers and leaves what the model says', async () => {
  await fc.assert(
    fc.asyncProperty(surcharge, fc.array(anyStep, { minLength: 5, maxLength: 40 }), (percent, steps) =>
      play(percent, async (game) => {
        const model = new Model(percent);
        for (const step of steps) {
          const expected = model.expects(step, game);
          const chosen = 'of' in step ? step.of : 0;
          const before = {
            debit: game.debit(chosen),
            refund: game.refund(chosen),
            link: game.link(chosen),
          };
          const answer = await game.do(step);
          expect(answer, JSON.stringify(step)).toBe(expected);
          model.did(step, answer, game, before);
          await modelHolds(game, model);
        }
        await holds(game);
      }),
    ),
    options,
  );
});

test('many at once, the sums and the books hold all the same', async () => {
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
      play(percent, async (game) => {
        for (const { steps, thenMs } of given) {
          await Promise.all(steps.map((step) => game.do(step)));
          await holds(game);
          await game.clock.advance(thenMs);
          await holds(game);
        }
      }),
    ),
    options,
  );
});

test('requests that meet what happens by itself at the same moment leave the sums and the books right', async () => {
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
        play(percent, async (game) => {
          for (const [steps, ms] of given) {
            const answered: Promise<string>[] = [];
            game.clock.setTimeout(() => answered.push(...steps.map((step) => game.do(step))), ms);
            await game.clock.advance(ms);
            await Promise.all(answered);
            await holds(game);
          }
        }),
    ),
    options,
  );
});
