import {
  type Exploration,
  type ExplorationFindings,
  type ExploredSchedule,
  exitCodeOf,
  explore,
  groupExplorationFindings,
  isCardMissing,
  makeLocalEnvironmentProvider,
  parseSchedule,
  reportText,
  scheduleText,
  writeTrace,
} from '../../explore/index.ts';
import { plainPaint } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { explorationsFolder } from '../console/explorations.ts';
import { parseShopper } from '../explore/shopper.ts';
import type { ToolAnswer } from './answer.ts';
import { resolveFolderInside } from './path-inside.ts';
import {
  type Arguments,
  readTextArgument,
  readTextsArgument,
  type Tool,
  type ToolCallContext,
  ToolError,
} from './tool.ts';

/**
 * The settings with which the user started the server. An agent can choose one of the commands in the settings, but
 * cannot change any setting.
 */
interface Explorable {
  readonly folder: string;
  /** The command lines that a shell runs. The key is the name that the user gave to the command line. */
  readonly commands: ReadonlyMap<string, string>;
  readonly shopper: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly before: string | undefined;
  readonly restart: string | undefined;
  readonly config: string | undefined;
}

/**
 * Makes the tool that explores one of the user's commands: it runs the command many times, each time with other faults.
 */
export function makeExploreTool(explorable: Explorable): Tool {
  const names = [...explorable.commands.keys()];
  return {
    name: 'explore',
    description:
      'Runs a command of the user many times. The command makes one sale. Each run has its own gateway and one fault. ' +
      'If, after a fault, the shop does not know what the customer paid, the tool reports the call, the broken rule, and how to fix the mistake. ' +
      'An exploration takes up to 10 minutes. Only one exploration runs at a time. ' +
      (names.length > 0
        ? `The commands are: ${names.join(', ')}.`
        : 'There is no command yet: the user has to start pinpad mcp with --command NAME=COMMAND.'),
    properties: {
      command: {
        type: 'string',
        ...(names.length > 0 && { enum: names }),
        description: 'The name of the command to run',
      },
      only: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Try only these faults, for example to see one failure again. Use the names of an earlier report, such as dropAnswer@payment-request.1',
      },
      pairs: { type: 'boolean', description: 'Also try pairs of faults in one run' },
    },
    required: ['command'],
    reads: false,
    keepsFiles: true,
    run: (args, call) => exploreByName(explorable, args, call),
  };
}

async function exploreByName(
  explorable: Explorable,
  args: Arguments,
  call: ToolCallContext,
): Promise<ToolAnswer> {
  const { commands, folder, shopper, env, before, restart, config } = explorable;
  const name = readTextArgument(args, 'command') ?? '';
  const text = commands.get(name);
  if (text === undefined)
    throw new ToolError(
      'there is no such command',
      commands.size === 0
        ? "Ask the user to start pinpad mcp with a command: pinpad mcp --command till='python3 till.py'"
        : `Name one of ${[...commands.keys()].join(', ')}; only the user can add another command.`,
    );
  const only = readTextsArgument(args, 'only');
  const traces = resolveFolderInside(folder, explorationsFolder);
  let done = 0;
  let planned: number | undefined;
  const exploration = await explore({
    ...{ argv: shell(text), before, restart, pidFile: undefined, env, workers: 1, linger: false },
    ...{ pairs: args.pairs === true, as: undefined },
    arena: makeLocalEnvironmentProvider({ config, port: undefined, seed: 1 }),
    shopper: shopper === undefined ? undefined : parseShopper(shopper),
    ...{ only: only?.map(parseSchedule), limitMs: undefined, timeoutMs: undefined },
    ...{ clock: systemClock, random: systemRandom, stopped: call.signal },
    progress: {
      planned: ({ ended }, plans) => {
        planned = plans.length;
        const fails = ended.timedOut || ended.code !== 0;
        call.progress(done, planned, `the run without faults ${fails ? 'failed' : 'went well'}`);
      },
      ended: (one, left) => {
        done++;
        call.progress(done, done + left, `${scheduleText(one.schedule)}: ${one.verdict.says}`);
      },
    },
  });
  return reportOf(exploration, { findings: groupExplorationFindings(exploration), name, traces });
}

async function reportOf(
  exploration: Exploration,
  { findings, name, traces }: { findings: ExplorationFindings; name: string; traces: string },
): Promise<ToolAnswer> {
  const { plain, differs, stopped } = exploration;
  if (differs)
    return {
      says: 'Two runs of the command differ, so nothing was explored. Change the command so that it does the same in each run.',
      data: [differs.at, differs.first, differs.second],
    };
  if (exitCodeOf(exploration, findings) === 3)
    return {
      says: `The command fails without any fault, so nothing was explored.${isCardMissing(plain) ? ' No card was presented: the user can start pinpad mcp with --shopper visa-credit.' : ''} Below are the last lines of the command's output. Fix the command, and explore again.`,
      data: plain.output,
    };
  const again = (schedule: string) => `explore ${JSON.stringify({ command: name, only: [schedule] })}`;
  const trace = (one: ExploredSchedule) => writeTrace(traces, one);
  const report = await reportText(exploration, findings, { paint: plainPaint, again, trace });
  const failures = findings.failures.flatMap(({ shown, also }) => [shown, ...also]).length;
  const early =
    stopped || exploration.left.length > 0
      ? ' The exploration ended early, so not every fault was tried.'
      : '';
  return { says: `explore ${name}: ${failures} failures.${early}`, data: report.split('\n') };
}

/** Returns the program and arguments that run a text as the user's shell would. */
function shell(text: string): readonly string[] {
  return process.platform === 'win32' ? ['cmd', '/d', '/s', '/c', text] : ['sh', '-c', text];
}
