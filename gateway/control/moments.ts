import { z } from 'zod';
import { type MomentPlan, momentInput, momentName, momentPlan } from '../../shared/moment-plans.ts';
import {
  aliases,
  consequences,
  momentActions,
  momentNames,
  momentOf,
  moments,
} from '../../shared/moments.ts';
import { type AnyEndpoint, endpointWith, shows } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Parks } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { crashRefusal } from './crash-refusal.ts';
import { exampleIds } from './examples.ts';
import { MomentsEverywhere } from './moments-everywhere.ts';
import { terminalOf } from './terminal-of.ts';

const shownMoment = z
  .object({
    moment: momentName,
    aliasOf: momentName
      .optional()
      .meta({ description: 'The moment for which this is another name, which applies only to approvals' }),
    side: z.enum(['terminal', 'gateway']).meta({ description: 'The side on which payments pass the moment' }),
    is: z.string().meta({ description: 'The state of the payment at this moment' }),
    leadsTo: z.enum(Object.keys(consequences) as [keyof typeof consequences]).meta({
      description: 'The consequence of a power cut at the terminal, or of a crash of the gateway',
    }),
    leadsToText: z.string(),
    actions: z
      .array(z.enum(momentActions))
      .meta({ description: 'The actions that can be set for the moment' }),
  })
  .meta({ id: 'Moment', description: 'A moment of a payment that has a name' });

const overview = z
  .object({
    moments: z.array(shownMoment).meta({ description: 'In the order in which payments pass them' }),
    set: z
      .array(momentPlan)
      .meta({ description: 'The actions that are set, without those that are used up' }),
    paused: z.array(z.object({ at: momentName, terminal: z.string().optional() })).meta({
      description: 'The moments at which the gateway or a terminal is paused; empty if nothing is paused',
    }),
  })
  .meta({ id: 'Moments' });

const all: readonly z.infer<typeof shownMoment>[] = [
  ...momentNames.map((name) => shown(name)),
  ...(Object.keys(aliases) as (keyof typeof aliases)[]).map((alias) => ({
    ...shown(aliases[alias]),
    moment: alias,
    aliasOf: aliases[alias],
  })),
];

function shown(name: (typeof momentNames)[number]): z.infer<typeof shownMoment> {
  const { side, is, leadsTo, faults } = moments[name];
  return { moment: name, side, is, leadsTo, leadsToText: consequences[leadsTo], actions: [...faults] };
}

const endpoint = endpointWith({ tag: 'Control: moments', guard: 'control' });
const params = z.object({ moment: momentName });
const which = z.object({ terminal: z.string().optional() });
const examplePlan: MomentPlan = {
  ...{ moment: 'pin', action: 'powerOff', backMs: 20_000 },
  ...{ terminal: exampleIds.poiId, after: 0, times: 1 },
};

/**
 * Makes the endpoints that set what happens at a moment of a later payment, for example a crash right after a commit. A
 * test could not act at that moment in time (B280).
 */
export function momentEndpoints(
  services: Pick<
    Services,
    'terminals' | 'emulators' | 'runtime' | 'moments' | 'store' | 'poi' | 'emulatorServer'
  >,
): AnyEndpoint[] {
  const everywhere = new MomentsEverywhere(services);
  const poiIdOf = (id: string | undefined) =>
    id === undefined ? undefined : terminalOf(services.terminals, id).poiId;
  const now = async (call: Parks) => ({ moments: all, ...(await everywhere.state(call)) });
  const described = shows('The moments, and the actions that are set for them', overview, {
    cutAtPin: { moments: all.filter(({ moment }) => moment === 'pin'), set: [examplePlan], paused: [] },
  });
  return [
    endpoint({
      route: 'GET /control/moments',
      operationId: 'controlListMoments',
      summary: 'List the moments of a payment, and what is set for them',
      responses: { 200: described },
      errors: ['terminalUnreachable'],
      gives: now,
    }),
    endpoint({
      route: 'PUT /control/moments/{moment}',
      operationId: 'controlSetMoment',
      summary: 'Set an action for a moment of a payment',
      description:
        'The action happens at the next payment that reaches the moment, or as `after` and `times` say. It stays set ' +
        'until a payment reaches the moment. It replaces an action for the same moment of the same terminal. Several ' +
        'moments can have actions at once. Without `terminal` it happens at the first terminal of a process that ' +
        'reaches the moment. Actions are kept in memory. A crash and a pause affect the whole gateway, and cannot be ' +
        'set in the console.',
      params,
      body: momentInput,
      bodyExamples: {
        powerAtPin: { action: 'powerOff', backMs: 20_000 },
        networkAtHost: { action: 'networkOff', terminal: exampleIds.poiId },
        crash: { action: 'crash', after: 1 },
      },
      responses: { 200: shows('Set', momentPlan, { powerAtPin: examplePlan }) },
      errors: ['terminalNotFound', 'conflict', 'terminalUnreachable', 'controlTokenNeeded'],
      gives: async (call) => {
        const isOfAll = call.body.action === 'crash' || call.body.action === 'pause';
        if (isOfAll && call.fromConsole) throw new ApiError('controlTokenNeeded');
        const terminal = poiIdOf(call.body.terminal);
        const plan = { ...call.body, moment: call.params.moment, terminal };
        const { actions } = shown(momentOf(plan.moment));
        if (!actions.includes(plan.action))
          throw new ApiError('invalidRequest', {
            message: `${plan.action} cannot be set for ${plan.moment}, only ${actions.join(', ')}`,
          });
        await refuse(services, plan);
        await everywhere.set(plan, call);
        const { moment, action, after, times } = plan;
        const backMs = 'backMs' in plan ? { backMs: plan.backMs } : {};
        services.runtime.journal.add('moment.set', { moment, action, ...backMs, after, times }, { terminal });
        return plan;
      },
    }),
    endpoint({
      route: 'POST /control/moments/continue',
      operationId: 'controlContinue',
      summary: 'End a pause, so that everything continues',
      description:
        'Everything continues until the next pause that is set. If nothing is paused, this has no effect.',
      responses: { 200: described },
      errors: ['terminalUnreachable'],
      gives: async (call) => {
        await everywhere.continue(call);
        return now(call);
      },
    }),
    endpoint({
      route: 'DELETE /control/moments',
      operationId: 'controlClearMoments',
      summary: 'Clear what is set for moments, everywhere or at a terminal',
      query: which,
      responses: { 204: { description: 'No action is set any more' } },
      errors: ['terminalNotFound', 'terminalUnreachable'],
      gives: async (call) => {
        const terminal = poiIdOf(call.query.terminal);
        await everywhere.clear({ terminal }, call);
        services.runtime.journal.add('moment.cleared', {}, { terminal });
      },
    }),
    endpoint({
      route: 'DELETE /control/moments/{moment}',
      operationId: 'controlClearMoment',
      summary: 'Clear what is set for a moment, everywhere or at a terminal',
      params,
      query: which,
      responses: { 204: { description: 'No action is set for the moment any more' } },
      errors: ['terminalNotFound', 'terminalUnreachable'],
      gives: async (call) => {
        const { moment } = call.params;
        const terminal = poiIdOf(call.query.terminal);
        await everywhere.clear({ moment, terminal }, call);
        services.runtime.journal.add('moment.cleared', { moment }, { terminal });
      },
    }),
  ];
}

/** @throws ApiError if this gateway cannot do what the test plans */
async function refuse(services: Parameters<typeof crashRefusal>[0], plan: MomentPlan): Promise<void> {
  if (plan.action === 'pause' && !services.runtime.clock.virtual)
    throw new ApiError('conflict', {
      message: 'The clock is real, so a pause cannot stop it: start with --clock virtual or skipping',
    });
  if (plan.action !== 'crash') return;
  if (plan.times === null)
    throw new ApiError('invalidRequest', {
      message: 'A crash needs a number of times, because otherwise the gateway might crash for ever',
    });
  const refusal = await crashRefusal(services);
  if (refusal !== undefined) throw new ApiError('conflict', { message: refusal });
}
