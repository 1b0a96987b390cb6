import type { MomentName } from '../client/openapi-types.ts';
import { momentNames, moments, shortConsequenceTexts } from '../shared/moments.ts';
import { controlClientOf, type Stack, type StackTerminal } from '../stack/index.ts';
import type { ActiveTrouble, Emulator, OfferedTrouble, TroubleMode } from '../terminal-emulator/index.ts';

type Action = 'powerOff' | 'networkOff' | 'cutConnection' | 'crash' | 'pause';

/** An action that is planned for a certain moment of a payment. */
interface AtMoment {
  moment: MomentName;
  action: Action;
}

const groups: readonly { action: Action; title: string; follows?: string }[] = [
  { action: 'powerOff', title: 'The power fails at a moment of the payment' },
  {
    action: 'networkOff',
    title: 'The network fails at a moment',
    follows: 'the terminal goes on without the network',
  },
  { action: 'crash', title: 'The gateway crashes at a moment, and starts again' },
  { action: 'cutConnection', title: 'Your POS is cut off at a moment', follows: 'the payment goes on' },
  { action: 'pause', title: 'Everything pauses at a moment', follows: 'until the pause ends' },
];

/** The name of the action that ends a pause. The list of troubles contains it too. */
export const continueActionId = 'continue';

/** Lists each action with the names of the moments at which it is possible, and with its consequences. */
export function listPossibleMomentActions({
  gateway,
  runtime,
}: Stack): (OfferedTrouble & { cause: AtMoment })[] {
  const isPossible: Partial<Record<Action, boolean>> = {
    crash: gateway.moments.canCrash,
    pause: runtime.clock.virtual,
  };
  return groups
    .filter(({ action }) => isPossible[action] ?? true)
    .flatMap(({ action, title, follows }) =>
      momentNames
        .filter((moment) => moments[moment].faults.includes(action))
        .map((moment) => ({
          ...{ group: title, id: idOf(moment, action), cause: { moment, action } },
          text: `${moment.padEnd(18)} ${follows ?? shortConsequenceTexts[moments[moment].leadsTo]}`,
          modes: modesOf(action),
          canLetPass: true,
        })),
    );
}

function modesOf(action: Action): readonly TroubleMode[] {
  return action === 'crash' ? ['once'] : ['once', 'always'];
}

function idOf(moment: string, action: string): string {
  return `moment ${moment} ${action}`;
}

/**
 * Returns the actions that are planned for moments of a terminal's payments. The plans come from both the terminal and
 * the gateway.
 */
export function listPlannedMomentActions(
  { gateway }: Stack,
  emulator: Emulator,
  { poiId }: StackTerminal,
): ActiveTrouble[] {
  return [...emulator.moments.list(), ...gateway.moments.plans.list()]
    .filter(({ terminal = poiId }) => terminal === poiId)
    .map(({ moment, action, times, after, terminal }) => {
      const isOurs = terminal === poiId && after === 0;
      const id = idOf(moment, action);
      return {
        id: isOurs ? id : `${id} ${terminal ?? ''}`,
        text: `${action} at ${moment}${after > 0 ? `, after ${after}` : ''}`,
        mode: times === null ? 'always' : 'once',
      };
    });
}

/**
 * Plans an action for a moment of the next payment, or of every payment. Without a mode, removes the action. The id
 * `continue` ends a pause instead.
 */
export async function setOrRemoveMomentAction(
  stack: Stack,
  poiId: string,
  id: string,
  mode: TroubleMode | undefined,
  after = 0,
): Promise<void> {
  const control = controlClientOf(stack);
  if (id === continueActionId) {
    await control.POST('/control/moments/continue');
    return;
  }
  const [, moment, action, terminal] = id.split(' ') as [string, MomentName, Action, string?];
  const path = { moment };
  if (mode === undefined) {
    // The terminal's name is empty if a test has set the action for all terminals.
    const query = terminal === '' ? {} : { terminal: terminal ?? poiId };
    await control.DELETE('/control/moments/{moment}', { params: { path, query } });
    return;
  }
  const body = { action, terminal: poiId, after, times: mode === 'always' ? null : 1 };
  await control.PUT('/control/moments/{moment}', { params: { path }, body });
}
