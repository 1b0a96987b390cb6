import { type Random, seededRandom } from '../../../shared/random.ts';

/** What chance decides in a history: the same for the same seed. */
export class Dice {
  readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** True once in so many times. */
  once(inTimes: number): boolean {
    return this.random.int(inTimes) === 0;
  }

  oneOf<Value>(values: readonly Value[]): Value {
    return values[this.random.int(values.length)] as Value;
  }
}
