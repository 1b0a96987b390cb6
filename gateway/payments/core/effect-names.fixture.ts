import type { Effect } from './effects.ts';

const everyEffect: Record<Effect['do'], true> = {
  journal: true,
  deliver: true,
  abort: true,
  ask: true,
  reply: true,
  decideLate: true,
  watch: true,
  forget: true,
  arm: true,
  disarm: true,
  answer: true,
};

/** The names of all effects. Tests let the process die right before and right after each effect. */
export const effectNames = Object.keys(everyEffect) as Effect['do'][];
