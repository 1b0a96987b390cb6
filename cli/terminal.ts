import { Command } from 'commander';
import { createLog, startLoggingJournal } from '../shared/log.ts';
import { systemRandom } from '../shared/random.ts';
import {
  makeConfiguredRuntime,
  readDeviceKeys,
  readRunningNote,
  StartError,
  startTerminals,
  type TerminalsWanted,
} from '../stack/index.ts';
import { addStackOptions, type GatewayFlags, resolveConfigWithFlags } from './gateway/gateway-options.ts';
import { handleStopSignals } from './listen-for-stop.ts';
import { makeOption, makeWholeNumberParser, parseGatewayAddress } from './options.ts';
import { addReaderOption, type ReaderFlags } from './readers/reader-options.ts';

interface TerminalFlags extends GatewayFlags, ReaderFlags {
  gateway?: string;
  poi?: string;
  key?: string;
  count?: number;
  auto?: string;
}

const examples = `
Which terminals:
  $ pinpad terminal
      starts the terminals of a gateway that "pinpad gateway" started here ("pinpad up" starts its own terminals)
  $ pinpad terminal --gateway URL --poi ID --key KEY
      starts one terminal of a gateway elsewhere
  $ pinpad terminal --gateway URL --count 100 --control-token TOKEN
      starts a hundred terminals, which are created at the first start and kept in the data folder`;

export function makeTerminalCommand(): Command {
  const command = new Command('terminal')
    .description(
      'Starts emulated terminals in a process of their own. ' +
        'The terminals connect to the gateway, authenticate with their device key, and reconnect after an outage of the gateway or the network.',
    )
    .addHelpText('after', examples)
    .addOption(makeOption('--gateway <url>', 'the address of the gateway').argParser(parseGatewayAddress))
    .addOption(makeOption('--poi <id>', 'the poi_id of the terminal, such as V400m-100000001'))
    .addOption(makeOption('--key <key>', 'the device key of the terminal'))
    .addOption(
      makeOption(
        '--count <number>',
        'how many terminals of the data folder to start; missing terminals are created',
      ).argParser(makeWholeNumberParser(1, 100_000)),
    )
    .addOption(makeOption('--auto <card>', 'an automatic shopper pays everything with this card'));
  return addStackOptions(addReaderOption(command)).action(terminal);
}

async function terminal(flags: TerminalFlags): Promise<void> {
  const { gateway, poi, key, count, auto, reader, ...rest } = flags;
  const config = resolveConfigWithFlags(rest);
  const shopper =
    auto === undefined ? config.shopper : ({ card: auto, entry: 'ICC', tip: 'none', thinkMs: 0 } as const);
  const wanted = {
    ...wantedBy({ gateway, poi, key, count }, config.data, config.controlToken),
    readers: reader,
    keys: systemRandom,
  };
  const { stopped, asked } = handleStopSignals();
  if (asked()) return;
  const runtime = makeConfiguredRuntime(config);
  startLoggingJournal(runtime.journal, createLog(config.logLevel));
  const running = await startTerminals(wanted, { ...config, shopper }, runtime);
  if (flags.json)
    console.log(
      JSON.stringify({ gateway: wanted.gatewayUrl, terminals: running.terminals, pid: process.pid }),
    );
  else console.log(`${running.terminals.length} terminal(s) connect to ${wanted.gatewayUrl}. Ctrl-C stops.`);
  await stopped;
  await running.close();
}

function wantedBy(
  flags: Pick<TerminalFlags, 'gateway' | 'poi' | 'key' | 'count'>,
  folder: string,
  controlToken: string | undefined,
): TerminalsWanted {
  const running = readRunningNote(folder);
  const gatewayUrl = flags.gateway ?? running?.url;
  if (!gatewayUrl)
    throw new StartError(
      `no gateway runs with the data folder ${folder}: start one with "pinpad gateway", or use --gateway`,
    );
  const wanted = { gatewayUrl, count: flags.count ?? 0, controlToken: controlToken ?? running?.controlToken };
  if (flags.poi !== undefined || flags.key !== undefined) {
    if (flags.poi === undefined || flags.key === undefined)
      throw new StartError('--poi needs --key, and --key needs --poi');
    return { ...wanted, given: [{ poiId: flags.poi, deviceKey: flags.key }] };
  }
  if (flags.count !== undefined) return { ...wanted, given: [] };
  const keys = readDeviceKeys(folder);
  const given = (running?.terminals ?? []).flatMap(({ poiId }) => {
    const deviceKey = keys.terminal(poiId);
    return deviceKey === undefined ? [] : [{ poiId, deviceKey }];
  });
  if (given.length === 0)
    throw new StartError(
      running?.terminals.length === 0
        ? 'no terminals are configured: use --poi and --key, or --count'
        : `the device keys of the configured terminals are not in ${folder}: use --data with the folder of a gateway that runs here, or use --poi and --key, or --count and --control-token`,
    );
  return { ...wanted, given };
}
