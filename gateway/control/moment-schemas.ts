import { z } from 'zod';
import { momentNameSchema, momentPlanSchema } from '../../shared/moment-plans.ts';
import {
  interruptionConsequences,
  momentActions,
  momentAliases,
  momentNames,
  moments,
} from '../../shared/moments.ts';

const shownMoment = z
  .object({
    moment: momentNameSchema,
    aliasOf: momentNameSchema.optional().meta({
      description:
        'The present name of the moment; absent unless `moment` is an older name. An action that is set under an older name happens only if the payment is approved',
    }),
    side: z
      .enum(['terminal', 'gateway'])
      .meta({ description: 'Whether this moment happens at the terminal or at the gateway' }),
    is: z.string().meta({ description: 'The state of the payment at this moment' }),
    leadsTo: z.enum(Object.keys(interruptionConsequences) as [keyof typeof interruptionConsequences]).meta({
      description: 'The consequence of a power cut at the terminal, or of a crash of the gateway',
    }),
    leadsToText: z.string(),
    actions: z
      .array(z.enum(momentActions))
      .meta({ description: 'The actions that can be set for the moment' }),
  })
  .meta({ id: 'Moment', description: 'A named moment of a payment' });

export const momentsOverviewSchema = z
  .object({
    moments: z
      .array(shownMoment)
      .meta({ description: 'The moments, in the order in which a payment reaches them' }),
    set: z.array(momentPlanSchema).meta({ description: 'The actions that are set and not used up yet' }),
    paused: z.array(z.object({ at: momentNameSchema, terminal: z.string().optional() })).meta({
      description: 'The moments at which the gateway or a terminal is paused; empty if nothing is paused',
    }),
  })
  .meta({ id: 'Moments' });

/** The description of each moment. If a moment has other names, each of these names has a description too. */
export const momentDescriptions: readonly z.infer<typeof shownMoment>[] = [
  ...momentNames.map((name) => shown(name)),
  ...(Object.keys(momentAliases) as (keyof typeof momentAliases)[]).map((alias) => ({
    ...shown(momentAliases[alias]),
    moment: alias,
    aliasOf: momentAliases[alias],
  })),
];

function shown(name: (typeof momentNames)[number]): z.infer<typeof shownMoment> {
  const { side, is, leadsTo, faults } = moments[name];
  return {
    moment: name,
    side,
    is,
    leadsTo,
    leadsToText: interruptionConsequences[leadsTo],
    actions: [...faults],
  };
}
