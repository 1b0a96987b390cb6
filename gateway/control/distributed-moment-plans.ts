import type { MomentPlan } from '../../shared/moment-plans.ts';
import { processOfMoment } from '../../shared/moments.ts';
import { type ParkableCall, parkCallDuring } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { commandAllEmulators, requireConnectedEmulator } from './emulators.ts';

type Parts = Pick<Services, 'emulators' | 'moments'>;
type Paused = { at: MomentPlan['moment']; terminal?: string };

/**
 * Sets and reads the actions that tests have planned for moments of payments, for example a pause before a commit. It
 * sets and reads them at this gateway and at every emulator, because each process keeps the plans for its own
 * terminals.
 */
export class DistributedMomentPlans {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends a plan to the emulator that hosts the plan's terminal. If the plan names no terminal, sends the plan to all
   * emulators.
   */
  async set(plan: MomentPlan, call: ParkableCall): Promise<void> {
    const { emulators, moments } = this.#parts;
    const command = { do: 'setMoment', plan } as const;
    const { terminal } = plan;
    if (processOfMoment(plan.moment) === 'gateway') moments.plans.set(plan);
    else if (terminal !== undefined) await parkCallDuring(call, () => emulators.command(terminal, command));
    else {
      await requireConnectedEmulator(emulators);
      await commandAllEmulators(emulators, command, call);
    }
  }

  async clear(
    which: { moment?: MomentPlan['moment']; terminal: string | undefined },
    call: ParkableCall,
  ): Promise<void> {
    const { emulators, moments } = this.#parts;
    moments.plans.clear(which);
    if (which.moment !== undefined && processOfMoment(which.moment) === 'gateway') return;
    await emulators.bringUpToDate();
    await commandAllEmulators(emulators, { do: 'clearMoments', which }, call);
  }

  /** Ends every pause that a test has caused. The work that the pause has stopped then continues. */
  async continue(call: ParkableCall): Promise<void> {
    const { emulators, moments } = this.#parts;
    await emulators.bringUpToDate();
    await commandAllEmulators(emulators, { do: 'continue' }, call);
    moments.continue();
  }

  async state(call: ParkableCall): Promise<{ set: MomentPlan[]; paused: Paused[] }> {
    const { emulators, moments } = this.#parts;
    await emulators.bringUpToDate();
    const answers = await commandAllEmulators(emulators, { do: 'moments' }, call);
    const plans = [...moments.plans.list(), ...answers.flatMap((answer) => answer.moments ?? [])];
    const set = new Map(plans.map((plan) => [JSON.stringify(plan), plan]));
    const here: Paused[] = moments.pausedAt === undefined ? [] : [{ at: moments.pausedAt }];
    return {
      set: [...set.values()],
      paused: [...here, ...answers.flatMap(({ paused = [] }) => paused)],
    };
  }
}
