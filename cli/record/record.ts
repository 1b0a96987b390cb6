import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { recordScenario } from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { makePrintable } from '../../shared/printable.ts';
import {
  createEntryNumberer,
  followJournal,
  readJournalSince,
  readLatestPlace,
  StartError,
  withGatewayErrorsExplained,
} from '../../stack/index.ts';
import { type AttachFlags, addAttachOptions, findRunningGateway } from '../attached-gateway.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { prepareOutputFile, writeWithFallback } from '../output-file.ts';
import { readGatewayEnvironment } from './recorded-environment.ts';

interface RecordFlags extends AttachFlags {
  name?: string;
  force?: boolean;
}

export function makeRecordCommand(): Command {
  const command = new Command('record')
    .description(
      'Watches the gateway that runs here, and writes the actions at its terminals and the requests of a point of sale as a scenario. ' +
        'The scenario waits for states, not for times, and expects the results that were recorded. Ctrl-C ends the recording and writes the file.\n\n' +
        'Card numbers and PINs are never written: a PIN is "right" or "wrong", and a card that is not a test card is replaced by a test card.',
    )
    .argument('<file>', 'the scenario to write, e.g. scenarios/refund.yaml');
  return addAttachOptions(command)
    .option('--name <name>', 'the name of the scenario (Recorded)')
    .option('--force', 'overwrite an existing file')
    .action(record);
}

async function record(file: string, flags: RecordFlags): Promise<void> {
  prepareOutputFile(file);
  if (existsSync(file) && !flags.force) throw new StartError(`${file} already exists; --force overwrites it`);
  const gateway = findRunningGateway(flags);
  await withGatewayErrorsExplained(gateway, async () => {
    const before = await readGatewayEnvironment(gateway);
    let last = await readLatestPlace(gateway);
    const number = createEntryNumberer();
    const entries: JournalEntry[] = [];
    const stop = new AbortController();
    const following = followJournal({ ...gateway, signal: stop.signal, since: last }, (entry, place) => {
      entries.push(number(entry));
      last = place;
    });
    console.log(
      `Recording ${gateway.url}: act on the terminals and send payments. Ctrl-C ends the recording.`,
    );
    const ended = await Promise.race([
      handleStopSignals().stopped.then(() => undefined),
      // If the gateway is killed, the connection breaks. Even then, the command writes a scenario of what has happened
      // so far.
      following.then(
        () => 'The gateway has stopped.',
        (error: Error) => `The connection to the gateway broke: ${error.message}`,
      ),
    ]);
    stop.abort();
    await following.catch(() => {});
    // Entries that were added while the stream ended; none if the gateway is gone.
    const rest = await readJournalSince(gateway, last).catch(() => undefined);
    entries.push(...(rest?.entries ?? []).map(number));
    if (ended) console.error(makePrintable(ended));
    if (entries.length === 0) throw new StartError('nothing was recorded, so no file was written');
    // Accounts and terminals may have been added during the recording, so the environment is read again. If the gateway
    // is gone, the environment that was read before the recording is used.
    const environment = {
      ...(await readGatewayEnvironment(gateway).catch(() => before)),
      accounts: before.accounts ?? [],
    };
    const scenario = recordScenario(entries, { ...environment, name: flags.name ?? 'Recorded' });
    const { at, problem } = writeWithFallback(file, scenario);
    if (problem) console.error(`pinpad: ${problem}`);
    console.log(`The scenario was written to ${at}; run it with: pinpad run ${at}`);
    if (problem) process.exitCode = 1;
  });
}
