import { z } from 'zod';
import { type AnyEndpoint, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { parkCallDuring } from '../http/parked.ts';
import { makeWholeNumberSchema } from '../http/whole-number.ts';
import type { Services } from '../services.ts';
import { requireConsole } from './console.ts';
import type { ConsoleRecording } from './console-parts.ts';

const endpoint = makeEndpointDefiner({
  tag: 'Console',
  guard: 'control',
  documented: false,
  journaled: 'nothing',
});
const runParams = z.object({ run: z.string().max(20) });
const runQuery = z.object({
  version: makeWholeNumberSchema(0).default(0),
  since: makeWholeNumberSchema(0).default(0),
});
const stepParams = z.object({ seq: makeWholeNumberSchema(1) });
const runBody = z.object({ scenario: z.string().max(1000) });
const proceedBody = z.object({ how: z.enum(['step', 'end']) });

/** Makes the endpoints that record a scenario, and the endpoints that run a scenario while a user watches. */
export function scenarioEndpoints(services: Pick<Services, 'journal' | 'console'>): AnyEndpoint[] {
  return [...recordingEndpoints(services), ...stepEndpoints(services), ...runEndpoints(services)];
}

function stepEndpoints(services: Pick<Services, 'journal' | 'console'>): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/console/steps/{seq}',
      operationId: 'getConsoleStep',
      summary: 'Turn an entry of the journal into a step of a scenario',
      params: stepParams,
      responses: { 200: { description: 'The step, or null if a step cannot repeat this entry' } },
      gives: async ({ params: { seq } }) => {
        const step = await requireConsole(services).parts.stepOf?.(services.journal.since(), seq);
        return { step: step ?? null };
      },
    }),
  ];
}

/** Makes the endpoints of recordings. All users share one recording, and every open console shows it. */
function recordingEndpoints(services: Pick<Services, 'console'>): AnyEndpoint[] {
  let recording: ConsoleRecording | undefined;
  return [
    endpoint({
      route: 'GET /control/console/recording',
      operationId: 'getConsoleRecording',
      summary: 'Get whether actions are being recorded',
      responses: { 200: { description: 'True during a recording' } },
      gives: () => ({ recording: recording !== undefined }),
    }),
    endpoint({
      route: 'POST /control/console/recording',
      operationId: 'beginConsoleRecording',
      summary: 'Begin to record',
      responses: { 204: { description: 'Begun' } },
      gives: async () => {
        recording ??= requireConsole(services).parts.record?.();
        if (!recording)
          throw new ApiError('conflict', { message: 'The console of this gateway cannot record actions' });
      },
    }),
    endpoint({
      route: 'DELETE /control/console/recording',
      operationId: 'endConsoleRecording',
      summary: 'End the recording, and get the scenario',
      responses: { 200: { description: 'The scenario' } },
      gives: async () => {
        const ended = recording;
        recording = undefined;
        if (!ended) throw new ApiError('conflict', { message: 'Nothing is being recorded' });
        return { scenario: await ended.end().catch(asConflict) };
      },
    }),
  ];
}

function runEndpoints(services: Pick<Services, 'console'>): AnyEndpoint[] {
  const scenarios = () => {
    const found = requireConsole(services).parts.scenarios;
    if (!found)
      throw new ApiError('conflict', { message: 'The console of this gateway cannot run scenarios' });
    return found;
  };
  return [
    endpoint({
      route: 'GET /control/console/scenarios',
      operationId: 'listConsoleScenarios',
      summary: 'List the scenarios that can be run',
      responses: { 200: { description: 'Scenarios' } },
      gives: async () => scenarios().list().catch(asConflict),
    }),
    endpoint({
      route: 'POST /control/console/runs',
      operationId: 'startConsoleRun',
      summary: 'Start a scenario. It waits before its first step',
      body: runBody,
      responses: { 201: { description: 'The run' } },
      gives: async ({ body }) => {
        const run = await scenarios().start(body.scenario).catch(asConflict);
        if (run === undefined) throw new ApiError('notFound', { message: 'This scenario does not exist' });
        return { run };
      },
    }),
    endpoint({
      route: 'GET /control/console/runs/{run}',
      operationId: 'watchConsoleRun',
      summary: 'Wait until the state of a run has changed, and get the state',
      params: runParams,
      query: runQuery,
      responses: { 200: { description: 'The run' } },
      gives: async (call) => {
        const { params, query, signal } = call;
        const state = await parkCallDuring(call, () => scenarios().state(params.run, query, signal));
        if (!state)
          throw new ApiError('notFound', {
            message: 'This run does not exist any more: only the latest run is kept',
          });
        return state;
      },
    }),
    endpoint({
      route: 'POST /control/console/runs/{run}/proceed',
      operationId: 'proceedConsoleRun',
      summary: 'Run the next step, or all remaining steps',
      params: runParams,
      body: proceedBody,
      responses: { 204: { description: 'The run goes on' } },
      gives: ({ params, body }) => scenarios().proceed(params.run, body.how),
    }),
  ];
}

/** Answers 409 with the message of an error. The message is written for the user. */
function asConflict({ message }: Error): never {
  throw new ApiError('conflict', { message });
}
