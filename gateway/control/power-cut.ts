import { powerCutSchema } from '../../shared/emulator/frames.ts';
import { type AnyEndpoint, defineEndpoint } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { commandTerminal, screenAfterActionResponse, terminalActionErrors } from './terminal-actions.ts';
import { terminalParamsSchema } from './terminal-params.ts';

/**
 * Makes the endpoints that plan a power cut at a moment of a payment. A test must plan the power cut before that
 * moment, because no request could arrive exactly at the moment (B171).
 */
export function terminalPowerCutEndpoints(parts: Pick<Services, 'terminals' | 'emulators'>): AnyEndpoint[] {
  const common = {
    tag: 'Control: terminals',
    guard: 'control',
    params: terminalParamsSchema,
    responses: { 200: screenAfterActionResponse },
    errors: terminalActionErrors,
  } as const;
  return [
    defineEndpoint({
      ...common,
      route: 'PUT /control/terminals/{terminalId}/power-cut',
      operationId: 'controlPlanPowerCut',
      summary: 'Plan a power cut between the approval of a payment and the answer of the terminal',
      description:
        'With `once` (the default), the cut affects the next payment that reaches this moment. ' +
        'With `always`, the cut affects every payment until the cut is cancelled. The terminal stays off until it is switched on.',
      body: powerCutSchema,
      bodyExamples: {
        reversed: { at: 'approvalReceived' },
        answeredLater: { at: 'resultStored', mode: 'always' },
      },
      gives: (call) =>
        commandTerminal(parts, call, { do: 'act', action: { action: 'planCut', cut: call.body } }),
    }),
    defineEndpoint({
      ...common,
      route: 'DELETE /control/terminals/{terminalId}/power-cut',
      operationId: 'controlTakeBackPowerCut',
      summary: 'Cancel a planned power cut',
      gives: (call) => commandTerminal(parts, call, { do: 'act', action: { action: 'planCut', cut: null } }),
    }),
  ];
}
