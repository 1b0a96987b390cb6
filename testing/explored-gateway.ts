import { type ExploredGateway, type Needs, ScenarioError } from '../scenarios/index.ts';
import { StartError } from '../shared/start-error.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the gateway of the `pinpad explore` run in which this process sells. Undefined if explore did not start this
 * process, even if other variables are set (B300).
 *
 * @throws StartError if some of the run's variables are missing
 */
export function readExploredGateway(variables: Variables): ExploredGateway | undefined {
  if (!variables.PINPAD_EXPLORE_URL) return undefined;
  const need = (name: string) => {
    const value = variables[name];
    if (value) return value;
    throw new StartError(
      `PINPAD_EXPLORE_URL is set, but ${name} is not: start the tests with "pinpad explore -- COMMAND"`,
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

/** The options that have an effect even if the gateway is already running. */
const possible: readonly string[] = ['webhooks', 'faults', 'patience'] satisfies (keyof Needs | 'patience')[];

/**
 * @throws ScenarioError that names the options which have no effect, because the gateway of the run has already started
 * (B301)
 */
export function refuseLateOptions(options: object): void {
  const refused = Object.entries(options).filter(([name, value]) => {
    const asItIs = value === undefined || value === false || (name === 'terminals' && value === 1);
    return !asItIs && !possible.includes(name);
  });
  if (refused.length === 0) return;
  const names = refused.map(([name]) => name).join(', ');
  throw new ScenarioError(
    `${names}: "pinpad explore" has already started the gateway of this run: leave out these options, or set them in a configuration file, with "pinpad explore --config FILE"`,
  );
}
