import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { createRuntime } from '../../shared/create-runtime.ts';
import { startMachine } from './start-machine.ts';

/** Makes a machine. `entry` runs when the machine starts, and `later` runs after the event `go`. */
const machineOf = (entry: () => void, later: () => void) =>
  createMachine({
    initial: 'first',
    states: { first: { entry, on: { go: 'second' } }, second: { entry: later } },
  });

const fails = () => {
  throw new Error('a defect');
};

test('an error of a machine goes to its owner, during its start too, and never to the process', () => {
  const broke: unknown[] = [];
  const listener = { changed: () => {}, broke: (error: unknown) => broke.push(error) };
  startMachine(machineOf(fails, fails), undefined as never, createRuntime(), 'T1', listener);
  expect(broke).toEqual([new Error('a defect')]);
  const actor = startMachine(
    machineOf(() => {}, fails),
    undefined as never,
    createRuntime(),
    'T1',
    listener,
  );
  actor.send({ type: 'go' });
  expect(broke).toEqual([new Error('a defect'), new Error('a defect')]);
});

test('an error of a listener is a warning in the journal', () => {
  const runtime = createRuntime();
  const actor = startMachine(
    machineOf(
      () => {},
      () => {},
    ),
    undefined as never,
    runtime,
    'T1',
    {
      changed: fails,
      broke: fails,
    },
  );
  actor.send({ type: 'go' });
  expect(runtime.journal.since().map(({ kind, terminal }) => [kind, terminal])).toEqual([['warning', 'T1']]);
});
