import { makeSeededRandom, type Random } from '../../../shared/random.ts';

/** Draws what chance decides in a history. The same seed gives the same history. */
export class Dice {
  readonly random: Random;

  constructor(seed: number) {
    this.random = makeSeededRandom(seed);
  }

  /** Returns true once in `inTimes` calls on average. */
  once(inTimes: number): boolean {
    return this.random.int(inTimes) === 0;
  }

  oneOf<Value>(values: readonly Value[]): Value {
    return values[this.random.int(values.length)] as Value;
  }
}
