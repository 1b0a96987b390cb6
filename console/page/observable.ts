import { useEffect, useState } from 'preact/hooks';

/**
 * The base class of objects that can change at any time. An object notifies its listeners at most once in each
 * animation frame.
 */
export class Observable {
  #listeners = new Set<() => void>();
  #scheduled = false;

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}

/** Draws a component again whenever the observed object changes. */
export function useObservable(observed: Observable): void {
  const [, again] = useState(0);
  useEffect(() => observed.listen(() => again((count) => count + 1)), [observed]);
}
