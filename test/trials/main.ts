import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { abuseTrial } from './abuse/abuse.ts';
import { crashTrial } from './crash/crash.ts';
import { fleetTrial } from './fleet/fleet.ts';
import { severalGatewaysTrial } from './many/many.ts';
import { reportTrial } from './report.ts';
import type { TrialKind, TrialOptions } from './trial.ts';

/** The kinds of trials. Each has the script of package.json that runs it. */
const kinds: Record<string, { script: string; kind: TrialKind }> = {
  crash: { script: 'crashtest', kind: crashTrial },
  many: { script: 'crashtest:many', kind: severalGatewaysTrial },
  fleet: { script: 'fleettest', kind: fleetTrial },
  abuse: { script: 'abuse', kind: abuseTrial },
};

/**
 * The options of all kinds of trials. Every kind takes `rounds` and `minutes`. A kind takes any other option only if
 * the kind has a usual value for that option.
 */
const options: Record<keyof TrialOptions, () => Option> = {
  rounds: () => new Option('--rounds <n>', 'how many').argParser(wholeNumber),
  minutes: () => new Option('--minutes <n>', 'begins no round after so many').argParser(aboveZero),
  gateways: () => new Option('--gateways <n>', 'how many').argParser(wholeNumber),
  terminals: () => new Option('--terminals <n>', 'how many').argParser(wholeNumber),
  paying: () => new Option('--paying <n>', 'terminals that payments are made at').argParser(wholeNumber),
  timeScale: () =>
    new Option('--time-scale <x>', 'multiplies every timeout: 0.02 makes 3 s of 150 s').argParser(aboveZero),
  ownLinks: () =>
    new Option(
      '--own-links',
      'each terminal has a connection of its own, and in every round a gateway stands still while they dial and ' +
        'the balancer resets their connections',
    ),
};
const always = ['rounds', 'minutes'];

const program = new Command('trials')
  .description('Puts load on gateways, has much go wrong on purpose, and checks what came of it.')
  .exitOverride();
for (const [name, { script, kind }] of Object.entries(kinds))
  program.addCommand(trialCommand(name, script, kind));
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

function trialCommand(name: string, script: string, kind: TrialKind): Command {
  const command = new Command(name)
    .description(kind.about.replaceAll('\n', ' '))
    .summary(`npm run ${script}`)
    .usage('[options]')
    .addHelpText(
      'after',
      '\nEnds with 1 at the first violation; the evidence is left in the folder it names.',
    )
    .showHelpAfterError(`Try: npm run ${script} -- --help`)
    .exitOverride();
  for (const [key, optionOf] of Object.entries(options)) {
    const usual = kind.usual[key as keyof TrialOptions];
    if (usual === undefined && !always.includes(key)) continue;
    const option = optionOf();
    if (usual) option.description += ` (${usual})`;
    command.addOption(option);
  }
  return command
    .option('--seed <n>', 'of all dice (chosen and printed)', wholeNumber)
    .option('--keep', 'keeps the data folder, also when all is well')
    .action((given) => reportTrial(name, kind, given));
}

function wholeNumber(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}

function aboveZero(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('must be a number above 0.');
  return Number(text);
}
