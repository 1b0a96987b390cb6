import { type ExploredGateway, type Needs, ScenarioError } from '../scenarios/index.ts';
import { StartError } from '../shared/start-error.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The gateway of the run of `pinpad explore` that this process sells in; undefined if none runs it, whatever else is set (B300).
 *
 * @throws StartError if the run's variables are not all there
 */
export function exploredGateway(variables: Variables): ExploredGateway | undefined {
  if (!variables.PINPAD_EXPLORE_URL) return undefined;
  const need = (name: string) => {
    const value = variables[name];
    if (value) return value;
    throw new StartError(
      `${name} is not set, and PINPAD_EXPLORE_URL is: start the tests by pinpad explore -- COMMAND`,
    );
  };
  return {
    url: need('PINPAD_URL'),
    token: need('PINPAD_TOKEN'),
    controlToken: need('PINPAD_CONTROL_TOKEN'),
    terminalId: need('PINPAD_TERMINAL'),
    beliefsUrl: variables.PINPAD_BELIEFS_URL || undefined,
  };
}

/** What a test may still ask for where the gateway is there already. */
const possible: readonly string[] = ['webhooks', 'faults', 'patience'] satisfies (keyof Needs | 'patience')[];

/** @throws ScenarioError naming what the gateway of a run cannot have any more (B301) */
export function refuseSettings(options: object): void {
  const refused = Object.entries(options).filter(([name, value]) => {
    const asItIs = value === undefined || value === false || (name === 'terminals' && value === 1);
    return !asItIs && !possible.includes(name);
  });
  if (refused.length === 0) return;
  const names = refused.map(([name]) => name).join(', ');
  throw new ScenarioError(
    `${names}: the gateway of a run of pinpad explore runs already; leave it out, or say it in a configuration: pinpad explore --config FILE`,
  );
}
