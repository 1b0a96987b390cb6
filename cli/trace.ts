import { Command } from 'commander';
import { entriesOfPayment, renderTrace, startLiveTraceServer } from '../scenarios/index.ts';
import { systemClock } from '../shared/clock.ts';
import type { JournalEntry } from '../shared/journal.ts';
import { systemRandom } from '../shared/random.ts';
import {
  type ControlledGateway,
  readJournal,
  StartError,
  withGatewayErrorsExplained,
} from '../stack/index.ts';
import {
  type AttachFlags,
  addAttachOptions,
  connectionEndedText,
  findRunningGateway,
} from './attached-gateway.ts';
import { handleStopSignals } from './listen-for-stop.ts';
import { makeOption, makeWholeNumberParser } from './options.ts';
import { prepareOutputFile, writeWithFallback } from './output-file.ts';
import { readGatewayEnvironment } from './record/recorded-environment.ts';
import { traceLines } from './trace-lines.ts';

interface TraceFlags extends AttachFlags {
  output?: string;
  text?: boolean;
  payment?: string;
  port: number;
}

export function makeTraceCommand(): Command {
  const command = new Command('trace').description(
    'Serves a page on this machine that shows all messages of POS, gateway, terminals, acquirer and webhooks live. ' +
      'The page also shows the screens of the terminals, and why every payment ended as it did (docs/traces.md). ' +
      'With --output the command writes everything so far to one HTML file. With --text the command prints a line for each message.\n\n' +
      'Without --url the command uses the gateway that runs with the data folder of --data.',
  );
  return addAttachOptions(command)
    .addOption(makeOption('--output <file>', 'write an HTML file instead of serving a page'))
    .option('--text', 'print a line for each message, screen and decision so far')
    .option('--payment <identifier>', 'with --output or --text: show only this payment')
    .addOption(
      makeOption('--port <port>', 'the port of the page; 0 takes any free port')
        .argParser(makeWholeNumberParser(0, 65535))
        .default(0),
    )
    .action(trace);
}

async function trace(flags: TraceFlags): Promise<void> {
  if (flags.payment && !flags.output && !flags.text)
    throw new StartError('--payment needs --output or --text');
  if (flags.text && flags.output)
    throw new StartError('--text prints lines, and --output writes a file: leave out one of the two options');
  if (flags.output) prepareOutputFile(flags.output);
  const gateway = findRunningGateway(flags);
  await withGatewayErrorsExplained(gateway, () => {
    if (flags.text) return print(gateway, flags);
    return flags.output ? write(gateway, flags.output, flags) : serve(gateway, flags);
  });
}

async function entriesSoFar(gateway: ControlledGateway, { payment }: TraceFlags): Promise<JournalEntry[]> {
  const all = await readJournal(gateway);
  const entries = payment ? entriesOfPayment(all, payment) : all;
  if (payment && entries.length === 0) throw new StartError(`the journal has no payment ${payment}`);
  return entries;
}

async function print(gateway: ControlledGateway, flags: TraceFlags): Promise<void> {
  for (const line of traceLines(await entriesSoFar(gateway, flags))) console.log(line);
}

async function write(gateway: ControlledGateway, output: string, flags: TraceFlags): Promise<void> {
  const entries = await entriesSoFar(gateway, flags);
  const { payment } = flags;
  const title = payment ? `Payment ${payment}` : gateway.url;
  const page = await renderTrace({ title, entries, environment: await readGatewayEnvironment(gateway) });
  const { at, problem } = writeWithFallback(output, page);
  if (problem) console.error(`pinpad: ${problem}`);
  console.log(`${entries.length} entries written to ${at}`);
  if (problem) process.exitCode = 1;
}

async function serve(gateway: ControlledGateway, { port }: TraceFlags): Promise<void> {
  const live = await startLiveTraceServer(
    gateway,
    { clock: systemClock, random: systemRandom },
    {
      port,
      environment: () => readGatewayEnvironment(gateway),
      onLost: () => console.error(connectionEndedText(gateway)),
    },
  );
  console.log(`Open ${live.url} in a browser; Ctrl-C ends.`);
  try {
    await Promise.race([handleStopSignals().stopped, live.over]);
  } finally {
    await live.close();
  }
}
