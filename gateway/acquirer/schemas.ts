import { z } from 'zod';
import { errorConditionSchema } from '../../shared/nexo/enums.ts';

/** An outcome for a payment. The host follows it before any other rule (B128). */
export const hostOutcomeSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('approve') }),
    z.object({
      type: z.literal('decline'),
      errorCondition: errorConditionSchema.default('Refusal'),
      refusalReason: z.string().min(1).max(100).default('214 Declined online'),
      message: z.string().min(1).max(100).default('DECLINED'),
    }),
    z
      .object({ type: z.literal('wrongPin') })
      .meta({ description: 'Every PIN counts as wrong, at the terminal and at the host' }),
    z.object({ type: z.literal('silent') }).meta({
      description:
        'This setting leaves the decision to the rules that follow it, but the answer of the host never arrives',
    }),
    z.object({ type: z.literal('late'), delayMs: z.int().positive().max(600_000) }).meta({
      description:
        'This setting leaves the decision to the rules that follow it, and the host answers after this additional time',
    }),
  ])
  .meta({ id: 'Outcome', description: 'The behaviour of the acquirer host' });
export type HostOutcome = z.infer<typeof hostOutcomeSchema>;

export const outcomeModeSchema = z.enum(['once', 'always']);

/** An outcome, and the payment or terminal for which it is set. */
export const presetOutcomeSchema = z
  .object({
    scope: z.enum(['payment', 'terminal']),
    subject: z.string().meta({ description: 'The payment’s or terminal’s identifier' }),
    mode: outcomeModeSchema.meta({
      description:
        'once: the outcome applies to the first payment that it can affect; always: the outcome applies to every payment until it is cleared',
    }),
    outcome: hostOutcomeSchema,
  })
  .meta({ id: 'SetOutcome' });
export type PresetOutcome = z.infer<typeof presetOutcomeSchema>;
