import { Argument, Command, Option } from 'commander';
import {
  argvWithHostsFile,
  type CommandRedirection,
  requireHostsFileSupport,
  type Vendor,
  VendorRedirection,
  vendorHostPort,
  vendors,
} from '../../leading/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { explainConnectionError } from '../../shared/connection-error.ts';
import { systemRandom } from '../../shared/random.ts';
import { fetchFromGateway, StartError } from '../../stack/running-gateway.ts';
import { findGatewayUrl } from '../attached-gateway.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { makeOption, parseGatewayAddress } from '../options.ts';
import { formatCallsSummary } from './calls-summary.ts';
import { runCommandInForeground } from './run-command-in-foreground.ts';
import { SignalForwarder } from './signals.ts';

interface AsFlags {
  url?: string;
  data: string;
  hosts?: boolean;
}

export function makeAsCommand(): Command {
  return new Command('as')
    .description(
      "Runs your point of sale unchanged, and sends its calls for another vendor's terminals to a pinpad gateway instead. " +
        "For Adyen, the gateway gets the calls to the hosts of Adyen's Terminal API and device API. " +
        'All other calls go to their usual hosts (docs/as.md).\n\n' +
        'Your point of sale must use a token of the gateway as its API key.\n' +
        'Without a command, "pinpad as" prints the environment variables that redirect a program, and runs until Ctrl-C.\n' +
        'The exit code is the exit code of the command, or 2 if the command was not started.',
    )
    .addArgument(new Argument('<vendor>', 'whose hosts').choices(Object.keys(vendors)))
    .argument('[command...]', 'the command, after --; no shell interprets it')
    .usage('[options] adyen -- COMMAND…')
    .addOption(makeOption('--url <url>', 'the address of the gateway').argParser(parseGatewayAddress))
    .addOption(
      makeOption('--data <folder>', 'the data folder of a gateway that runs on this machine').default(
        '.pinpad',
      ),
    )
    .addOption(
      new Option(
        '--hosts',
        'give your program a separate hosts file, which also redirects programs that ignore the environment variables (Linux only; needs root, unless all users may listen on port 443)',
      ),
    )
    .action(leadCommand);
}

async function leadCommand(name: string, argv: readonly string[], flags: AsFlags): Promise<void> {
  if (process.env.PINPAD_EXPLORE_URL)
    throw new StartError(
      `leave out "pinpad as", because "pinpad explore" can redirect the command: pinpad explore --as ${name} -- COMMAND`,
    );
  if (flags.hosts && argv.length === 0)
    throw new StartError('--hosts needs a command: put the command after --');
  const vendor = vendors[name] as Vendor;
  const lasting = argv.length === 0 ? handleStopSignals() : undefined;
  const signals = lasting ? undefined : new SignalForwarder();
  const url = await gatewayOf(flags);
  if (flags.hosts) requireHostsFileSupport();
  const leading = await VendorRedirection.start({
    ...{ vendor, environment: process.env, clock: systemClock, random: systemRandom },
  });
  try {
    const led = await leading.lead(() => url, flags.hosts ? vendorHostPort : undefined);
    for (const note of led.notes) console.error(`pinpad: ${note}`);
    if (signals) {
      const wrapped = flags.hosts ? argvWithHostsFile(argv, leading.hostsFile) : argv;
      const { code, ran } = await runCommandInForeground(
        wrapped,
        { ...process.env, ...led.variables },
        signals,
      );
      process.exitCode = code;
      if (!ran) return;
    } else {
      print(led);
      await lasting?.stopped;
    }
    await led.close();
    console.error(formatCallsSummary(led.counts, vendor, url));
  } finally {
    await leading.close();
  }
}

/** @throws StartError if no gateway runs here, or if no gateway answers at the given address */
async function gatewayOf(flags: AsFlags): Promise<string> {
  const url = findGatewayUrl(flags);
  try {
    await (await fetchFromGateway(new Request(new URL('/health', url)))).body?.cancel();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`no gateway answers at ${url}: ${explainConnectionError(error)}`);
  }
  return url;
}

/** Prints the variables as commands that a shell can read. */
function print({ variables }: CommandRedirection): void {
  for (const [name, value] of Object.entries(variables))
    console.log(`export ${name}='${value.replaceAll("'", "'\\''")}'`);
}
