import { expect, onTestFinished, test } from 'vitest';
import { noInFlightTracking } from '../../shared/in-flight.ts';
import { KeyedTaskQueue } from '../../shared/lanes.ts';
import { openTestStore } from '../../test/test-store.ts';
import type { RowChange } from '../store/schema.ts';
import { Engine } from './engine.ts';
import { anyGatewayPartition, type KeyPartition, loneGatewayPartition } from './partition.ts';

/**
 * The state is one counter for each key. The counter is stored in the column `question` of a table that refers to no
 * other table.
 */
type State = number;
type Input = { add: number; next?: number };
interface Step {
  state: State;
  records: RowChange[];
  effects: string[];
}

type Parts = ConstructorParameters<
  typeof Engine<
    State,
    Input,
    number,
    Step,
    KeyPartition<Input, Step>,
    { run(effects: Step['effects']): void }
  >
>[0];
type More = Pick<Parts, 'watch' | 'held' | 'mostDecisions'> & { moving?: Partial<Parts['moving']> };

async function setup(partition: Partial<KeyPartition<Input, Step>> = {}, { moving, ...more }: More = {}) {
  const store = await openTestStore();
  onTestFinished(() => store.close());
  const said: string[] = [];
  const counts = new Map<string, number>();
  const stored = async (key: string) => {
    const read = store.read((db) =>
      db.selectFrom('security_questions').selectAll().where('account_id', '=', key).executeTakeFirst(),
    );
    return Number((await read)?.question ?? 0);
  };
  const engine = new Engine({
    store,
    lanes: new KeyedTaskQueue(noInFlightTracking),
    ...more,
    moving: {
      state: (key: string) => counts.get(key) ?? 0,
      lookUp: () => undefined,
      isMissed: () => false,
      decide: (key: string, _: string, state: State, { add, next }: Input): Step => {
        said.push(`decides ${key} ${state}+${add}`);
        return {
          state: state + add,
          records: add === 0 ? [] : [changeOf(key, state, state + add)],
          effects: next === undefined ? [`is ${state + add}`] : [`put ${next}`],
        };
      },
      install: (_: State, { state }: Step) => void counts.set('a', state),
      ...moving,
    },
    partition: () => ({ ...(loneGatewayPartition as KeyPartition<Input, Step>), ...partition }),
    effects: (turns) => ({
      run: (effects) => {
        for (const effect of effects) {
          said.push(effect);
          if (effect.startsWith('put ')) void turns.put('a', '', { add: Number(effect.slice(4)) });
        }
      },
    }),
  });
  const elsewhere = (count: number) =>
    store.write((db) =>
      db
        .updateTable('security_questions')
        .set({ question: String(count) })
        .execute(),
    );
  return { engine, said, counts, stored, elsewhere, store };
}

function changeOf(key: string, from: number, to: number): RowChange {
  if (from === 0) return { insert: 'security_questions', row: row(key, to) };
  const where = { account_id: key, question: String(from) };
  return { update: 'security_questions', where, set: { question: String(to) } };
}

function row(key: string, count: number) {
  return { account_id: key, question: String(count), answer_hash: '' };
}

test('the inputs of a key are decided one after the other, each on the state that the former left', async () => {
  const { engine, said, stored } = await setup();
  await Promise.all([1, 2, 3].map((add) => engine.put('a', '', { add })));
  expect(said).toEqual(['decides a 0+1', 'is 1', 'decides a 1+2', 'is 3', 'decides a 3+3', 'is 6']);
  expect(await stored('a')).toBe(6);
});

test('effects follow the commit, and an effect that is an input gets a turn of its own', async () => {
  const { engine, said, stored } = await setup();
  await engine.put('a', '', { add: 1, next: 5 });
  expect(said.slice(0, 2)).toEqual(['decides a 0+1', 'put 5']);
  await engine.put('a', '', { add: 0 });
  expect(said.slice(2)).toEqual(['decides a 1+5', 'is 6', 'decides a 6+0', 'is 6']);
  expect(await stored('a')).toBe(6);
});

test('an input is built in its turn, and nothing happens if it is no longer needed then', async () => {
  const { engine, said } = await setup();
  const first = engine.put('a', '', { add: 1 });
  expect(await engine.put('a', '', () => undefined)).toBeUndefined();
  await first;
  expect(said).toEqual(['decides a 0+1', 'is 1']);
});

test('a refused batch changes nothing in memory, and is not decided again if nothing new was learnt', async () => {
  const { engine, counts, said } = await setup({ learn: () => false });
  await engine.put('a', '', { add: 1 });
  counts.set('a', 7);
  await expect(engine.put('a', '', { add: 1 })).rejects.toThrow();
  expect([counts.get('a'), said]).toEqual([7, ['decides a 0+1', 'is 1', 'decides a 7+1']]);
});

test('an input is decided again on the state that its refusal revealed', async () => {
  const { engine, counts, elsewhere, stored } = await setup({
    learn: async (_, { because }) => {
      expect(because).toBe('version');
      counts.set('a', 4);
      return true;
    },
  });
  await engine.put('a', '', { add: 1 });
  await elsewhere(4);
  expect(await engine.put('a', '', { add: 1 })).toMatchObject({ state: 5 });
  expect(await stored('a')).toBe(5);
});

test('an input that is refused again and again is decided at most three times', async () => {
  const { engine, counts, said } = await setup({ learn: () => true });
  await engine.put('a', '', { add: 1 });
  counts.set('a', 7);
  await expect(engine.put('a', '', { add: 1 })).rejects.toThrow();
  expect(said.filter((one) => one === 'decides a 7+1')).toHaveLength(3);
});

test('an input that is refused again and again is decided as often as its kind allows', async () => {
  const { engine, counts, said } = await setup({ learn: () => true }, { mostDecisions: 5 });
  await engine.put('a', '', { add: 1 });
  counts.set('a', 7);
  await expect(engine.put('a', '', { add: 1 })).rejects.toThrow();
  expect(said.filter((one) => one === 'decides a 7+1')).toHaveLength(5);
});

test('a kind that every gateway decides about is decided again unless the disk is at fault', () => {
  const again = (because: 'constraint' | 'version' | 'storage') =>
    anyGatewayPartition.learn('a', { is: 'refused', because, error: new Error(because) }, undefined);
  expect([again('version'), again('constraint'), again('storage')]).toEqual([true, true, false]);
});

test('a batch is bound to its key: if this gateway has lost the key, nothing of the batch is stored', async () => {
  const where = { account_id: 'guard' };
  const { engine, store, stored } = await setup({ guard: () => [{ hold: 'security_questions', where }] });
  await expect(engine.put('a', '', { add: 1 })).rejects.toThrow();
  expect(await stored('a')).toBe(0);
  await store.commit([{ insert: 'security_questions', row: row('guard', 0) }]);
  await engine.put('a', '', { add: 1 });
  expect(await stored('a')).toBe(1);
});

test('an input for a key of another gateway is decided there', async () => {
  const there: Step = { state: 9, records: [], effects: [] };
  const claimed: string[] = [];
  const { engine, said } = await setup({
    claim: (key) => void claimed.push(key),
    isOurs: () => false,
    elsewhere: async () => there,
  });
  expect(await engine.put('a', '', { add: 1 })).toBe(there);
  expect([claimed, said]).toEqual([['a'], []]);
});

test('a state that is not in memory is loaded in a turn of its key', async () => {
  const all = await setup({}, { moving: { state: (key) => all.stored(key) } });
  await Promise.all([1, 2].map((add) => all.engine.put('a', '', { add })));
  expect(all.said).toEqual(['decides a 0+1', 'is 1', 'decides a 1+2', 'is 3']);
});

test('a state that a look-up finds missing in memory is adopted first, and the input is decided afterwards', async () => {
  const adopted: string[] = [];
  const { engine, counts, said } = await setup(
    {
      adopt: async (key) => {
        adopted.push(key);
        counts.set(key, 4);
      },
    },
    { moving: { lookUp: async (state) => state, isMissed: (_, known) => known === 0 } },
  );
  await expect(engine.put('a', '', { add: 0 })).resolves.toMatchObject({ state: 4 });
  expect([adopted, said]).toEqual([['a'], ['decides a 4+0', 'is 4']]);
});

test('a gateway takes a key before it decides its input', async () => {
  const claiming = Promise.withResolvers<void>();
  const { engine, said } = await setup({ claim: () => claiming.promise });
  const putting = engine.put('a', '', { add: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(said).toEqual([]);
  claiming.resolve();
  await putting;
  expect(said).toEqual(['decides a 0+1', 'is 1']);
});

test('inputs wait while they are held, and a watcher is called before and after each commit', async () => {
  const pause = Promise.withResolvers<void>();
  let held: Promise<void> | undefined = pause.promise;
  const all = await setup(
    {},
    {
      held: () => held,
      watch: {
        isIdle: false,
        commits: async (_, commit) => {
          all.said.push('before');
          const result = await commit();
          all.said.push('after');
          return result;
        },
      },
    },
  );
  const putting = all.engine.put('a', '', { add: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(all.said).toEqual([]);
  held = undefined;
  pause.resolve();
  await putting;
  expect(all.said).toEqual(['decides a 0+1', 'before', 'after', 'is 1']);
});

test('while the result of a commit is unknown, the next input of its key waits', async () => {
  const all = await setup();
  const stands = Promise.withResolvers<void>();
  const known = Promise.withResolvers<void>();
  const commit = all.store.commit.bind(all.store);
  all.store.commit = async (records) => {
    const result = await commit(records);
    stands.resolve();
    await known.promise;
    return result;
  };
  const both = [1, 2].map((add) => all.engine.put('a', '', { add }));
  await stands.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(all.said).toEqual(['decides a 0+1']);
  known.resolve();
  await Promise.all(both);
  expect(all.said).toEqual(['decides a 0+1', 'is 1', 'decides a 1+2', 'is 3']);
});
