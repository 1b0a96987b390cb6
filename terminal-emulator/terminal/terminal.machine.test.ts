import { expect, test } from 'vitest';
import { createActor, type SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { powerAndLinkMachine, type TerminalMachineEvent } from './terminal.machine.ts';

const effects = { boot: () => {} };
const inputs: TerminalMachineEvent[] = [
  { type: 'power.on' },
  { type: 'power.off' },
  { type: 'link.changed', to: 'up' },
  { type: 'link.changed', to: 'down' },
  { type: 'link.changed', to: 'displaced' },
  { type: 'link.changed', to: 'refused' },
  { type: 'link.changed', to: 'otherClock' },
  { type: 'xstate.after.startTime.terminal.starting' } as unknown as TerminalMachineEvent,
];

function harness(startMs = 0) {
  const clock = new VirtualClock({ startMs: 0 });
  const done: string[] = [];
  const actor = createActor(powerAndLinkMachine, {
    clock: clock as never,
    input: {
      startMs,
      effects: { boot: () => done.push('boot') },
    },
  });
  actor.start();
  const state = () => actor.getSnapshot().value;
  actor.on('power.lost', () => done.push(`power lost, ${state()}`));
  return {
    clock,
    done,
    state,
    send: (...events: TerminalMachineEvent[]) => {
      for (const event of events) actor.send(event);
    },
  };
}

test('every state of the terminal can be reached', () => {
  const paths = getShortestPaths(powerAndLinkMachine, {
    input: { effects, startMs: 1500 },
    events: inputs,
    serializeState: (({ value, context }: SnapshotFrom<typeof powerAndLinkMachine>) =>
      JSON.stringify([value, context.link])) as never,
  });
  const reached = new Set(paths.map(({ state }) => JSON.stringify(state.value)));
  expect([...reached].sort()).toEqual(
    ['off', 'starting', ...['displaced', 'idle', 'offline'].map((on) => ({ on }))]
      .map((value) => JSON.stringify(value))
      .sort(),
  );
});

test('the terminal boots when it has started, and not if the power goes before', async () => {
  const { clock, done, state, send } = harness(1500);
  send({ type: 'power.on' });
  await clock.advance(1499);
  expect(state()).toBe('starting');
  send({ type: 'power.off' });
  await clock.advance(10_000);
  expect(done).toEqual([]);
  send({ type: 'power.on' });
  await clock.advance(1500);
  expect(done).toEqual(['boot']);
  expect(state()).toEqual({ on: 'offline' });
});

test('a power cut is reported once the terminal is off, in whatever state it comes', () => {
  const { done, state, send } = harness();
  send({ type: 'power.on' }, { type: 'link.changed', to: 'up' }, { type: 'power.off' });
  expect(done).toEqual(['boot', 'power lost, off']);
  expect(state()).toBe('off');
  send({ type: 'power.on' });
  expect(state()).toEqual({ on: 'offline' });
});

test('the state of an idle terminal follows its link', () => {
  const { state, send } = harness();
  send({ type: 'power.on' }, { type: 'link.changed', to: 'up' });
  expect(state()).toEqual({ on: 'idle' });
  send({ type: 'link.changed', to: 'displaced' });
  expect(state()).toEqual({ on: 'displaced' });
});
