import { assertEvent, assign, emit, setup } from 'xstate';
import type { LinkState } from './reconnecting-link.ts';

export type TerminalMachineEvent =
  | { type: 'power.on' }
  | { type: 'power.off' }
  | { type: 'link.changed'; to: LinkState };

/** The effects that the state machine requests. They are carried out outside the state machine. */
export interface TerminalEffects {
  /** Finishes what was under way according to the memory, then connects to the gateway. */
  boot(): void;
}

export interface TerminalContext {
  readonly effects: TerminalEffects;
  readonly startMs: number;
  readonly link: LinkState;
}

/**
 * The state machine for the power and the link of a terminal. During a payment, another state machine decides what the
 * screen shows.
 */
export const powerAndLinkMachine = setup({
  types: {} as {
    context: TerminalContext;
    events: TerminalMachineEvent;
    input: Pick<TerminalContext, 'effects' | 'startMs'>;
    /**
     * Emitted when the terminal loses its power. XState delivers the event after the transition, when the terminal is
     * already off. If the event came earlier, the screen could show a terminal that has already lost its payment but is
     * still on.
     */
    emitted: { type: 'power.lost' };
  },
  delays: { startTime: ({ context }) => context.startMs },
  guards: {
    startsAtOnce: ({ context }) => context.startMs === 0,
    linkIs: ({ context }, params: { state: LinkState }) => context.link === params.state,
  },
  actions: {
    boot: ({ context }) => context.effects.boot(),
    forgetLink: assign({ link: 'down' }),
    noteLink: assign(({ event }) => {
      assertEvent(event, 'link.changed');
      return { link: event.to };
    }),
  },
}).createMachine({
  id: 'terminal',
  context: ({ input }) => ({ ...input, link: 'down' }),
  initial: 'off',
  states: {
    off: {
      on: { 'power.on': { target: 'starting', actions: 'forgetLink' } },
    },
    starting: {
      on: { 'power.off': 'off' },
      always: { guard: 'startsAtOnce', target: 'on' },
      after: { startTime: 'on' },
    },
    on: {
      entry: 'boot',
      exit: emit({ type: 'power.lost' }),
      initial: 'ready',
      on: { 'power.off': 'off', 'link.changed': { target: '.ready', actions: 'noteLink' } },
      states: {
        ready: {
          always: [
            { guard: { type: 'linkIs', params: { state: 'up' } }, target: 'idle' },
            { guard: { type: 'linkIs', params: { state: 'displaced' } }, target: 'displaced' },
            { target: 'offline' },
          ],
        },
        idle: {},
        offline: {},
        /** Another connection with the same device key has replaced this terminal's connection. */
        displaced: {},
      },
    },
  },
});
