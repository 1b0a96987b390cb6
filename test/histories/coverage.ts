import { lifecycle } from '../../gateway/payments/core/lifecycle.ts';
import type { State } from '../../gateway/payments/core/states.ts';
import type { Input } from '../../gateway/payments/core/step.ts';

/** Which inputs were decided in which states, over all histories. */
export class Coverage {
  readonly #pairs = new Set<string>();

  hit(state: State['is'], input: Input['is']): void {
    this.#pairs.add(`${state} ${input}`);
  }

  /** Transitions of the lifecycle that no history came to. */
  missing(): string[] {
    return Object.entries(lifecycle).flatMap(([state, inputs]) =>
      Object.entries(inputs)
        .filter(([input, does]) => typeof does === 'function' && !this.#pairs.has(`${state} ${input}`))
        .map(([input]) => `${state} ${input}`),
    );
  }
}
