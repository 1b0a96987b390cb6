import { z } from 'zod';
import {
  type Screen,
  type ScreenState,
  screenSchema,
  screenStateSchema,
} from '../../shared/emulator/screen.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type AnyEndpoint, type CheckedRequest, defineEndpoint } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { makeWholeNumberSchema } from '../http/whole-number.ts';
import type { Services } from '../services.ts';
import type { Emulators } from './emulators.ts';
import { exampleScreen } from './examples.ts';
import { formatScreenText } from './screen-text.ts';
import { requireTerminal, terminalParamsSchema } from './terminal-params.ts';

const states = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(screenStateSchema));
const screenQuery = z.object({
  until: states.optional().meta({
    description: `The states to wait for, separated by commas: ${screenStateSchema.options.join(', ')}`,
    example: 'presentCard,pin',
  }),
  timeoutMs: makeWholeNumberSchema(1, 300_000).default(30_000).meta({
    description:
      'The time limit of `until`. With a virtual clock the same limit applies to real time, too, because virtual time may stand still',
  }),
  format: z.enum(['json', 'text']).optional(),
});

/**
 * Makes the endpoint GET …/screen. The endpoint gives the terminal's present screen. If the request names a state, the
 * endpoint waits until the screen has that state.
 */
export function screenEndpoints({ terminals, emulators, runtime }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'GET /control/terminals/{terminalId}/screen',
      operationId: 'controlGetScreen',
      tag: 'Control: terminals',
      guard: 'control',
      summary: "Get the terminal's screen",
      description:
        'With `until` the answer comes as soon as the screen is in one of the named states, so a script need not sleep. If the screen reaches none of these states in time, the answer is 409. With `format=text` or `Accept: text/plain` the screen is plain text.',
      params: terminalParamsSchema,
      query: screenQuery,
      headers: z.object({ accept: z.string().optional() }),
      responses: {
        200: {
          description: 'The screen',
          schema: screenSchema,
          examples: { presentCard: exampleScreen },
          alsoAs: { 'text/plain': formatScreenText(exampleScreen) },
        },
      },
      errors: ['terminalNotFound', 'conflict'],
      handle: async (call) => {
        const { poiId } = requireTerminal(terminals, call.params.terminalId);
        const { until, timeoutMs, format } = call.query;
        const shown = until
          ? await screenUntil(emulators, runtime, poiId, until, timeoutMs, call)
          : await emulators.screenOf(poiId, call);
        if (!shown)
          throw new ApiError('conflict', {
            message: `No emulator hosts the terminal ${poiId} at the moment`,
          });
        const asText =
          format === undefined ? call.headers.accept?.startsWith('text/plain') : format === 'text';
        if (!asText) return { status: 200, body: shown };
        return {
          status: 200,
          text: formatScreenText(shown),
          headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        };
      },
    }),
  ];
}

/**
 * Waits until the screen has a certain state. The time limit normally runs in real time, because a virtual clock may
 * stand still for ever. If a virtual clock moves by itself, the limit runs in virtual time.
 *
 * @throws ApiError conflict when the time limit has passed; the signal's reason if the signal aborts
 */
async function screenUntil(
  emulators: Emulators,
  { clock, realClock, timeWaits }: Runtime,
  poiId: string,
  until: readonly ScreenState[],
  timeoutMs: number,
  call: Pick<CheckedRequest<unknown, unknown, unknown, unknown>, 'park' | 'signal'>,
): Promise<Screen> {
  const seen: { last?: Screen; wanted?: Screen } = {};
  let onWanted = (_screen: Screen) => {};
  const see = (screen: Screen) => {
    seen.last = screen;
    if (!until.includes(screen.state)) return;
    seen.wanted ??= screen;
    onWanted(screen);
  };
  // The watch begins before the screen is requested, because emulators send screens only to a watcher. Otherwise an
  // emulator could connect between the request and the watch, and would send no screens.
  const stop = emulators.watch((shownOn, screen) => {
    if (shownOn === poiId) see(screen);
  });
  try {
    const now = await emulators.screenOf(poiId, call);
    if (now) see(now);
    if (seen.wanted) return seen.wanted;
    call.signal.throwIfAborted();
    const resume = call.park(timeoutMs, true);
    return await new Promise<Screen>((resolve, reject) => {
      const settle = (end: () => void) => {
        onWanted = () => {};
        resume();
        realClock.clearTimeout(timer);
        clock.clearTimeout(virtualTimer);
        call.signal.removeEventListener('abort', aborted);
        end();
      };
      onWanted = (screen) => settle(() => resolve(screen));
      const timeUp = () => {
        const state = emulators.hosts(poiId) ? seen.last?.state : undefined;
        const message =
          state === undefined
            ? `No emulator showed the screen of ${poiId} within ${timeoutMs} ms`
            : `The screen is ${state}, not ${until.join(' or ')}, after ${timeoutMs} ms`;
        settle(() => reject(new ApiError('conflict', { message })));
      };
      const timer = realClock.setTimeout(timeUp, timeoutMs);
      const virtualTimer = timeWaits.skipping ? clock.setTimeout(timeUp, timeoutMs) : undefined;
      const aborted = () => settle(() => reject(call.signal.reason));
      call.signal.addEventListener('abort', aborted, { once: true });
    });
  } finally {
    stop();
  }
}
