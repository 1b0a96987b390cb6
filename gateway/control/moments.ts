import { z } from 'zod';
import {
  type MomentPlan,
  momentActionSchema,
  momentNameSchema,
  momentPlanSchema,
} from '../../shared/moment-plans.ts';
import { moments, resolveMoment } from '../../shared/moments.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { ParkableCall } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { findCrashRefusal } from './crash-refusal.ts';
import { DistributedMomentPlans } from './distributed-moment-plans.ts';
import { exampleIds } from './examples.ts';
import { momentDescriptions, momentsOverviewSchema } from './moment-schemas.ts';
import { requireTerminal } from './terminal-params.ts';

const endpoint = makeEndpointDefiner({ tag: 'Control: moments', guard: 'control' });
const params = z.object({ moment: momentNameSchema });
const which = z.object({ terminal: z.string().optional() });
const examplePlan: MomentPlan = {
  ...{ moment: 'pin', action: 'powerOff', backMs: 20_000 },
  ...{ terminal: exampleIds.poiId, after: 0, times: 1 },
};

/**
 * Makes the endpoints by which a test plans an action at a moment of a later payment, for example a crash right after
 * a commit. The test must plan the action before that moment, because no request could arrive exactly at the moment
 * (B280).
 */
export function momentEndpoints(
  services: Pick<
    Services,
    'terminals' | 'emulators' | 'runtime' | 'moments' | 'store' | 'poi' | 'emulatorServer'
  >,
): AnyEndpoint[] {
  const everywhere = new DistributedMomentPlans(services);
  const poiIdOf = (id: string | undefined) =>
    id === undefined ? undefined : requireTerminal(services.terminals, id).poiId;
  const showMoments = async (call: ParkableCall) => ({
    moments: momentDescriptions,
    ...(await everywhere.state(call)),
  });
  const described = describeResponse(
    'The moments, and the actions that are set for them',
    momentsOverviewSchema,
    {
      cutAtPin: {
        moments: momentDescriptions.filter(({ moment }) => moment === 'pin'),
        set: [examplePlan],
        paused: [],
      },
    },
  );
  return [
    endpoint({
      route: 'GET /control/moments',
      operationId: 'controlListMoments',
      summary: 'List the moments of a payment, and the actions that are set for them',
      responses: { 200: described },
      errors: ['terminalUnreachable'],
      gives: showMoments,
    }),
    endpoint({
      route: 'PUT /control/moments/{moment}',
      operationId: 'controlSetMoment',
      summary: 'Set an action for a moment of a payment',
      description:
        'The action happens at the next payment that reaches the moment. `after` and `times` can change this. ' +
        'The action stays set until a payment reaches the moment. A new action replaces the former action for the same moment of the same terminal. ' +
        'Several moments can have actions at once. Without `terminal`, each process carries out the action at the first of its terminals that reaches the moment. ' +
        'Actions are kept in memory. A crash and a pause affect the whole gateway, and cannot be set in the console.',
      params,
      body: momentActionSchema,
      bodyExamples: {
        powerAtPin: { action: 'powerOff', backMs: 20_000 },
        networkAtHost: { action: 'networkOff', terminal: exampleIds.poiId },
        crash: { action: 'crash', after: 1 },
      },
      responses: { 200: describeResponse('Set', momentPlanSchema, { powerAtPin: examplePlan }) },
      errors: ['terminalNotFound', 'conflict', 'terminalUnreachable', 'controlTokenNeeded'],
      gives: async (call) => {
        const isOfAll = call.body.action === 'crash' || call.body.action === 'pause';
        if (isOfAll && call.fromConsole) throw new ApiError('controlTokenNeeded');
        const terminal = poiIdOf(call.body.terminal);
        const plan = { ...call.body, moment: call.params.moment, terminal };
        await checkCanSet(services, plan);
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
        'Everything continues until a payment reaches the next moment for which a pause is set. If nothing is paused, this has no effect.',
      responses: { 200: described },
      errors: ['terminalUnreachable'],
      gives: async (call) => {
        await everywhere.continue(call);
        return showMoments(call);
      },
    }),
    endpoint({
      route: 'DELETE /control/moments',
      operationId: 'controlClearMoments',
      summary: 'Clear the planned actions at moments of a payment, at all terminals or at one',
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
      summary: 'Clear the actions that are set for a moment, at all terminals or at one',
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

/** @throws ApiError if the planned action is not possible at this moment, or not at this gateway */
async function checkCanSet(
  services: Parameters<typeof findCrashRefusal>[0],
  plan: MomentPlan,
): Promise<void> {
  const actions: readonly string[] = moments[resolveMoment(plan.moment)].faults;
  if (!actions.includes(plan.action))
    throw new ApiError('invalidRequest', {
      message: `${plan.action} cannot be set for ${plan.moment}; allowed: ${actions.join(', ')}`,
    });
  if (plan.action === 'pause' && !services.runtime.clock.virtual)
    throw new ApiError('conflict', {
      message: 'The clock is real, so a pause cannot stop it: start with --clock virtual or skipping',
    });
  if (plan.action !== 'crash') return;
  if (plan.times === null)
    throw new ApiError('invalidRequest', {
      message: 'A crash needs a number as `times`, because otherwise the gateway might crash for ever',
    });
  const refusal = await findCrashRefusal(services);
  if (refusal !== undefined) throw new ApiError('conflict', { message: refusal });
}
