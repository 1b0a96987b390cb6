import { assertEvent, assign, setup } from 'xstate';
import type { LinkState } from './reconnecting-link.ts';

export type TerminalInput =
  | { type: 'power.on' }
  | { type: 'power.off' }
  | { type: 'link.changed'; to: LinkState }
  | { type: 'payment.began' }
  | { type: 'payment.over' };

/** What the machine has done outside itself. */
export interface TerminalEffects {
  /** Recalls what the memory holds, then dials. */
  boot(): void;
  /** Everything volatile is lost, the link dies without a word. */
  loseVolatile(): void;
}

export interface TerminalContext {
  readonly effects: TerminalEffects;
  readonly startMs: number;
  readonly link: LinkState;
}

/** The terminal around its payments: power and link. During `paying` the payment machine has the screen. */
export const terminalMachine = setup({
  types: {} as {
    context: TerminalContext;
    events: TerminalInput;
    input: Pick<TerminalContext, 'effects' | 'startMs'>;
  },
  delays: { startTime: ({ context }) => context.startMs },
  guards: {
    startsAtOnce: ({ context }) => context.startMs === 0,
    linkIs: ({ context }, params: { state: LinkState }) => context.link === params.state,
  },
  actions: {
    boot: ({ context }) => context.effects.boot(),
    loseVolatile: ({ context }) => context.effects.loseVolatile(),
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
      exit: 'loseVolatile',
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
        idle: { on: { 'payment.began': 'paying' } },
        offline: { on: { 'payment.began': 'paying' } },
        displaced: { on: { 'payment.began': 'paying' } },
        // The link may come and go; the payment goes on.
        paying: {
          on: { 'link.changed': { actions: 'noteLink' }, 'payment.over': 'ready' },
        },
      },
    },
  },
});
