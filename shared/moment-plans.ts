import { z } from 'zod';
import {
  isMomentAlias,
  type MomentName,
  type momentAliases,
  momentNamesAndAliases,
  resolveMoment,
} from './moments.ts';

/**
 * The maximum of a plan's numbers `after` and `times`. It is the largest number that a column of the database can hold,
 * and faults have the same limit.
 */
const mostPayments = 2_147_483_647;
/** The maximum time after which the power or the network comes back automatically, in milliseconds. */
const longestBackMs = 24 * 3_600_000;

export const momentNameSchema = z.enum(momentNamesAndAliases).meta({
  id: 'MomentName',
  description:
    'A moment of a payment; GET /control/moments describes each moment, and the consequence of a power cut there',
});

const terminal = z.string().max(100).optional().meta({
  description: 'The identifier (UUID) or poi_id of the terminal; every terminal by default',
});

const counts = {
  after: z.int().min(0).max(mostPayments).default(0).meta({
    description:
      'The number of payments that reach the moment before the action happens. Payments that an earlier plan affects at this moment do not count',
  }),
  times: z.int().min(1).max(mostPayments).nullable().default(1).meta({
    description:
      'The number of times that the action happens. With null, the action happens every time until it is cleared',
  }),
};
const backMs = z.int().min(0).max(longestBackMs).optional().meta({
  description:
    'The time, in ms, after which the power or network comes back by itself. If absent, the power or network stays off until a call switches it on',
});

/** The actions that can be set for a moment. The table of moments says which actions each moment allows. */
const actions = {
  powerOff: { action: z.literal('powerOff'), backMs },
  networkOff: { action: z.literal('networkOff'), backMs },
  cutConnection: { action: z.literal('cutConnection') },
  crash: { action: z.literal('crash') },
  pause: { action: z.literal('pause') },
};

function anyAction<More extends z.ZodRawShape>(more: More) {
  const all = { ...more, terminal, ...counts };
  return z.discriminatedUnion('action', [
    z.object({ ...actions.powerOff, ...all }),
    z.object({ ...actions.networkOff, ...all }),
    z.object({ ...actions.cutConnection, ...all }),
    z.object({ ...actions.crash, ...all }),
    z.object({ ...actions.pause, ...all }),
  ]);
}

export const momentActionSchema = anyAction({}).meta({
  id: 'MomentInput',
  description: 'An action to set for a moment',
});

export const momentPlanSchema = anyAction({ moment: momentNameSchema }).meta({
  id: 'MomentPlan',
  description: 'The action that is set for a moment, and how many more times it happens',
});
export type MomentPlan = z.infer<typeof momentPlanSchema>;

/** Selects plans by their moment and by their terminal. An empty filter selects all plans. */
export const planFilterSchema = z.object({
  moment: momentNameSchema.optional(),
  terminal: z.string().optional(),
});
type WhichPlans = z.infer<typeof planFilterSchema>;

/** The properties of a payment that passes a moment. */
export interface PaymentAtMoment {
  /** The poi_id of the payment's terminal. */
  terminal?: string;
  /** Whether the payment is approved. */
  approved?: boolean;
}

/** The plans that tests set for the moments of later payments. */
export class MomentPlans {
  readonly #plans = new Map<string, MomentPlan>();
  /**
   * Whether a plan is set or moments are counted. If this is false, a payment that passes a moment only has to read
   * this field.
   */
  any = false;
  #passed: Map<MomentName, number> | undefined;

  /** Starts to count how often payments pass each moment. */
  count(): ReadonlyMap<MomentName, number> {
    this.any = true;
    this.#passed ??= new Map();
    return this.#passed;
  }

  /** Sets a plan. The new plan replaces an earlier plan for the same moment and the same terminal. */
  set(plan: MomentPlan): void {
    const key = `${plan.moment} ${plan.terminal ?? ''}`;
    // If the earlier plan were not deleted, the map would keep the new plan at the earlier plan's position.
    this.#plans.delete(key);
    this.#plans.set(key, plan);
    this.any = true;
  }

  /** The plans in the order in which they were set. */
  list(): MomentPlan[] {
    return [...this.#plans.values()];
  }

  /** Cancels plans, and returns how many there were. */
  clear({ moment, terminal }: WhichPlans = {}): number {
    const those = [...this.#plans].filter(
      ([, plan]) =>
        (moment === undefined || plan.moment === moment) &&
        (terminal === undefined || plan.terminal === terminal),
    );
    for (const [key] of those) this.#plans.delete(key);
    this.any = this.#plans.size > 0 || this.#passed !== undefined;
    return those.length;
  }

  /** Notes that a payment passes a moment. Returns the plan that takes effect, and counts that plan as used once. */
  reached(moment: MomentName, passing: PaymentAtMoment): MomentPlan | undefined {
    this.#passed?.set(moment, (this.#passed.get(moment) ?? 0) + 1);
    for (const [key, plan] of this.#plans) {
      if (resolveMoment(plan.moment) !== moment || !isFor(plan, passing)) continue;
      if (plan.after > 0) this.#plans.set(key, { ...plan, after: plan.after - 1 });
      else {
        this.#use(key, plan);
        return plan;
      }
    }
    return undefined;
  }

  #use(key: string, plan: MomentPlan): void {
    if (plan.times === null) return;
    if (plan.times > 1) this.#plans.set(key, { ...plan, times: plan.times - 1 });
    else this.#plans.delete(key);
    this.any = this.#plans.size > 0 || this.#passed !== undefined;
  }
}

function isFor(plan: MomentPlan, { terminal, approved = false }: PaymentAtMoment): boolean {
  if (plan.terminal !== undefined && plan.terminal !== terminal) return false;
  return approved || !isMomentAlias(plan.moment);
}

/** Makes the plan for a power cut at a moment that is given by its older name (B171). */
export function makePowerCutPlan(
  poiId: string,
  cut: { at: keyof typeof momentAliases; mode: 'once' | 'always' },
): MomentPlan {
  const times = cut.mode === 'always' ? null : 1;
  return { moment: cut.at, action: 'powerOff', terminal: poiId, after: 0, times };
}
