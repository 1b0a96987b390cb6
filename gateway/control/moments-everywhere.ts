import type { MomentPlan } from '../../shared/moment-plans.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import type { Command, EmulatorAnswer, Parks } from './emulators.ts';
import { commandParked } from './terminal-actions.ts';

type Paused = NonNullable<EmulatorAnswer['paused']>[number];

/** What is set for moments, at every emulator: each process keeps what is set for its terminals. */
export class MomentsEverywhere {
  readonly #parts: Pick<Services, 'emulators'>;

  constructor(parts: Pick<Services, 'emulators'>) {
    this.#parts = parts;
  }

  async set(plan: MomentPlan, call: Parks): Promise<void> {
    await this.#atEach(plan.terminal, { do: 'setMoment', plan }, call);
  }

  async clear(
    which: { moment?: MomentPlan['moment']; terminal: string | undefined },
    call: Parks,
  ): Promise<void> {
    await this.#parts.emulators.look();
    for (const poiId of this.#parts.emulators.representatives())
      await this.#unlessGone(poiId, { do: 'clearMoments', which }, call);
  }

  async state(call: Parks): Promise<{ set: MomentPlan[]; paused: Paused[] }> {
    await this.#parts.emulators.look();
    const set = new Map<string, MomentPlan>();
    const paused: Paused[] = [];
    for (const poiId of this.#parts.emulators.representatives()) {
      const answer = await this.#unlessGone(poiId, { do: 'moments' }, call);
      for (const plan of answer?.moments ?? []) set.set(JSON.stringify(plan), plan);
      paused.push(...(answer?.paused ?? []));
    }
    return { set: [...set.values()], paused };
  }

  /** At the emulator of a terminal, or at all of them. */
  async #atEach(terminal: string | undefined, command: Command, call: Parks): Promise<void> {
    const { emulators } = this.#parts;
    if (terminal !== undefined) return void (await commandParked(this.#parts, call, terminal, command));
    await emulators.look();
    const all = emulators.representatives();
    if (all.length === 0) throw new ApiError('conflict', { message: 'No terminal emulator is connected' });
    for (const poiId of all) await this.#unlessGone(poiId, command, call);
  }

  /** An emulator that goes away meanwhile has nothing set. */
  async #unlessGone(poiId: string, command: Command, call: Parks): Promise<EmulatorAnswer | undefined> {
    const { emulators } = this.#parts;
    return commandParked(this.#parts, call, poiId, command).catch(async (error: unknown) => {
      await emulators.look();
      if (emulators.hosts(poiId)) throw error;
      return undefined;
    });
  }
}
