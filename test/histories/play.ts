import { Coverage } from './coverage.ts';
import { History } from './history.ts';

const stepsOfOne = 40;

interface Played {
  played: number;
  /** The first history that broke an invariant. */
  violation: { seed: number; error: unknown; said: string[] } | undefined;
  missing: string[];
}

/** Plays histories, each of a seed of its own, until one breaks an invariant. */
export function playHistories(options: { histories: number; seed: number; coverage?: Coverage }): Played {
  const { histories, seed, coverage = new Coverage() } = options;
  for (let played = 0; played < histories; played++) {
    const history = new History(seed + played, coverage);
    try {
      history.play(stepsOfOne);
    } catch (error) {
      const violation = { seed: seed + played, error, said: history.said };
      return { played, violation, missing: coverage.missing() };
    }
  }
  return { played: histories, violation: undefined, missing: coverage.missing() };
}
