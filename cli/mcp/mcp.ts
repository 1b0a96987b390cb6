import { Command, Option } from 'commander';
import { loadOpenapiDocument } from '../../gateway/index.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { systemClock } from '../../shared/clock.ts';
import { StartError } from '../../shared/start-error.ts';
import { parseShopper } from '../explore/shopper.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { makeOption, makeTokenOption, makeWholeNumberParser, parseGatewayAddress } from '../options.ts';
import { makeControlTools } from './control-tools.ts';
import { makeDocsTool } from './docs-tool.ts';
import { makeExploreTool } from './explore-tool.ts';
import { ToolGatewayManager } from './gateway-in-use.ts';
import { makeGatewayTools } from './gateway-tools.ts';
import { SecretRedactor } from './hidden-secrets.ts';
import { readControlOperations } from './operations.ts';
import { makeScenarioRunTool } from './run-tool.ts';
import { serveTools } from './serve.ts';
import { TemporaryFolderRedirection } from './temporary-files.ts';
import { ToolRunner } from './toolbox.ts';

interface McpFlags {
  command: readonly string[];
  env: readonly string[];
  shopper?: string;
  before?: string;
  restart?: string;
  config?: string;
  data?: string;
  port: number;
  url?: string;
  controlToken?: string;
}

const examples = `
Examples:
  $ pinpad mcp                                         lets an agent start gateways and read what your point of sale did
  $ pinpad mcp --command till='python3 till.py'        also lets the agent explore this command, under the name till
  $ pinpad mcp --shopper visa-credit --command till='node till.js'
  $ pinpad mcp --url http://127.0.0.1:8080             lets the agent use the gateway that you started
`;

/**
 * Makes the command. Options that run a command have no environment variable, because a forgotten variable must not run
 * anything.
 */
export function makeMcpCommand(): Command {
  const collected = (text: string, former: readonly string[]) => [...former, text];
  return new Command('mcp')
    .description(
      'Serves tools to a coding agent over standard input and output, by the Model Context Protocol (docs/mcp.md). ' +
        'The agent starts a gateway, operates terminals, reads what your point of sale did, and explores the commands that you name here. ' +
        'The tools read and run only files in the current folder.',
    )
    .addOption(
      new Option(
        '--command <name=command>',
        "a command that the agent may explore, with a name before it, such as till='node till.js'; repeat the option for more commands",
      )
        .argParser(collected)
        .default([] as readonly string[], 'none'),
    )
    .addOption(
      new Option(
        '--shopper <card>',
        'the card that pays if a command presents none, as for "pinpad explore"',
      ),
    )
    .addOption(new Option('--before <command>', 'a shell command to run before each run of a command'))
    .addOption(
      new Option('--restart <command>', 'a shell command that starts your point of sale again after a crash'),
    )
    .addOption(
      new Option(
        '--env <name=value>',
        'set an environment variable of the commands; {url}, {token}, {terminal} and {poiId} are replaced by their values',
      )
        .argParser(collected)
        .default([] as readonly string[], 'none'),
    )
    .addOption(makeOption('--config <file>', 'the configuration of the gateways (docs/configuration.md)'))
    .addOption(
      makeOption(
        '--data <folder>',
        'a subfolder of the current folder, for the data of the gateway; by default the gateway keeps its data in memory',
      ),
    )
    .addOption(
      makeOption('--port <port>', 'the port of the gateway; 0 takes any free port')
        .argParser(makeWholeNumberParser(0, 65_535))
        .default(0),
    )
    .addOption(
      makeOption('--url <url>', 'use this gateway on this machine, instead of starting one').argParser(
        parseGatewayAddress,
      ),
    )
    .addOption(makeTokenOption('--control-token <token>', 'the control token of the gateway at --url'))
    .addHelpText('after', examples)
    .action(mcp);
}

async function mcp(flags: McpFlags): Promise<void> {
  const { stopped, stop } = handleStopSignals();
  const folder = process.cwd();
  const { config, data, port, url, controlToken, shopper, before, restart } = flags;
  if (shopper !== undefined) parseShopper(shopper);
  const hidden = new SecretRedactor();
  hidden.add(process.env.PINPAD_TOKEN);
  const gateways = new ToolGatewayManager({ folder, config, data, port, url, controlToken }, hidden);
  const commands = new Map(Object.entries(named('--command', flags.command)));
  const env = named('--env', flags.env);
  const temporary = new TemporaryFolderRedirection(folder);
  const toolbox = new ToolRunner(
    [
      ...makeGatewayTools(gateways),
      ...makeControlTools(gateways, readControlOperations(await loadOpenapiDocument())),
      makeScenarioRunTool(folder),
      makeExploreTool({ folder, commands, shopper, env, before, restart, config }),
      makeDocsTool(),
    ],
    { hidden, clock: systemClock, temporary },
  );
  const close = await serveTools(toolbox, packageJson.version, stop);
  await stopped;
  await toolbox.close();
  await gateways.stop();
  temporary.remove();
  await close();
}

/** Reads values from texts of the form `NAME=text`. */
function named(flag: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([A-Za-z_][\w-]*)=(.+)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new StartError(
          `${flag} ${text} must have the form NAME=TEXT, such as ${flag} ${flag === '--env' ? 'PAYMENTS_URL={url}' : "till='python3 till.py'"}`,
        );
      return [name, value];
    }),
  );
}
