import type { MomentPlan } from '../../shared/moment-plans.ts';
import { sideOf } from '../../shared/moments.ts';
import type { Services } from '../services.ts';
import { type EmulatorAnswer, noEmulator, type Parks, type TerminalCommand } from './emulators.ts';
import { commandWhileParked } from './terminal-actions.ts';

type Parts = Pick<Services, 'emulators' | 'moments'>;
type Paused = { at: MomentPlan['moment']; terminal?: string };

/**
 * Sets and reads what tests have planned for moments of payments, for example a pause before a commit. It does so at
 * this gateway and at every emulator, because each process keeps the plans for its own terminals.
 */
export class MomentsEverywhere {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async set(plan: MomentPlan, call: Parks): Promise<void> {
    if (sideOf(plan.moment) === 'gateway') this.#parts.moments.plans.set(plan);
    else await this.#atEach(plan.terminal, { do: 'setMoment', plan }, call);
  }

  async clear(
    which: { moment?: MomentPlan['moment']; terminal: string | undefined },
    call: Parks,
  ): Promise<void> {
    this.#parts.moments.plans.clear(which);
    if (which.moment !== undefined && sideOf(which.moment) === 'gateway') return;
    await this.#parts.emulators.look();
    for (const poiId of this.#parts.emulators.representatives())
      await this.#unlessGone(poiId, { do: 'clearMoments', which }, call);
  }

  /** Ends every pause that a test made, so that all waiting work goes on. */
  async continue(call: Parks): Promise<void> {
    await this.#parts.emulators.look();
    for (const poiId of this.#parts.emulators.representatives())
      await this.#unlessGone(poiId, { do: 'continue' }, call);
    this.#parts.moments.continue();
  }

  async state(call: Parks): Promise<{ set: MomentPlan[]; paused: Paused[] }> {
    const { emulators, moments } = this.#parts;
    await emulators.look();
    const set = new Map(moments.plans.list().map((plan) => [JSON.stringify(plan), plan]));
    const paused: Paused[] = moments.pausedAt === undefined ? [] : [{ at: moments.pausedAt }];
    for (const poiId of emulators.representatives()) {
      const answer = await this.#unlessGone(poiId, { do: 'moments' }, call);
      for (const plan of answer?.moments ?? []) set.set(JSON.stringify(plan), plan);
      paused.push(...(answer?.paused ?? []));
    }
    return { set: [...set.values()], paused };
  }

  /** Sends a command to one terminal's emulator, or to all emulators. */
  async #atEach(terminal: string | undefined, command: TerminalCommand, call: Parks): Promise<void> {
    const { emulators } = this.#parts;
    if (terminal !== undefined) return void (await commandWhileParked(this.#parts, call, terminal, command));
    await emulators.look();
    const all = emulators.representatives();
    if (all.length === 0) throw noEmulator();
    for (const poiId of all) await this.#unlessGone(poiId, command, call);
  }

  /**
   * Sends a command to an emulator. Gives undefined if the emulator disconnects meanwhile, because then it keeps no
   * plans of tests.
   */
  async #unlessGone(
    poiId: string,
    command: TerminalCommand,
    call: Parks,
  ): Promise<EmulatorAnswer | undefined> {
    const { emulators } = this.#parts;
    return commandWhileParked(this.#parts, call, poiId, command).catch(async (error: unknown) => {
      await emulators.look();
      if (emulators.hosts(poiId)) throw error;
      return undefined;
    });
  }
}
