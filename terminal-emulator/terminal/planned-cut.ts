import type { PowerCut, PowerCutMoment } from '../../shared/emulator/frames.ts';

/** A power cut at a moment of a payment that comes, once or every time (B171). */
export class PlannedCut {
  #plan: PowerCut | undefined;
  #cut: (at: PowerCutMoment) => void;

  constructor(cut: (at: PowerCutMoment) => void) {
    this.#cut = cut;
  }

  get plan(): PowerCut | undefined {
    return this.#plan;
  }

  set(plan: PowerCut | undefined): void {
    this.#plan = plan;
  }

  /** A payment has come to this moment; true where the power went at it. */
  reached(moment: PowerCutMoment): boolean {
    if (this.#plan?.at !== moment) return false;
    if (this.#plan.mode === 'once') this.#plan = undefined;
    this.#cut(moment);
    return true;
  }
}
