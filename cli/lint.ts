import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { findingsText, type LintOptions, lintWithSales } from '../scenarios/index.ts';
import { describeFileFault } from '../shared/file-fault.ts';
import type { JournalEntry } from '../shared/journal.ts';
import { makeJsonPrintable, makePrintable } from '../shared/printable.ts';
import {
  type ControlledGateway,
  probeWebhookSignatures,
  readGatewayTimeMs,
  readJournal,
  StartError,
  withGatewayErrorsExplained,
} from '../stack/index.ts';
import { type AttachFlags, addAttachOptions, findRunningGateway } from './attached-gateway.ts';

interface LintFlags extends AttachFlags {
  json?: boolean;
  probeWebhooks?: boolean;
}

export function makeLintCommand(): Command {
  const command = new Command('lint')
    .description(
      'Checks the requests that a point of sale sent to the gateway that runs here, and reports mistakes (docs/lint.md). ' +
        'The command can also check a file with journal entries, in the form in which GET /control/journal returns them.\n\n' +
        'Exit code: 0 if nothing was found, 1 if there are findings, 2 if no journal could be read.',
    )
    .argument('[journal]', 'a file of journal entries: a JSON document, or one entry on each line');
  return addAttachOptions(command)
    .option(
      '--probe-webhooks',
      'send each webhook a message with a wrong signature; the receiver must refuse this message',
    )
    .option('--json', 'print the findings as JSON')
    .action((file: string | undefined, flags: LintFlags) => {
      const attaching = ['url', 'data', 'controlToken'].some(
        (name) => command.getOptionValueSource(name) === 'cli',
      );
      if (file && attaching)
        throw new StartError(
          '--url, --data and --control-token name a running gateway: leave out either these or the file',
        );
      return lint(file, flags);
    });
}

async function lint(file: string | undefined, flags: LintFlags): Promise<void> {
  if (file && flags.probeWebhooks)
    throw new StartError('--probe-webhooks needs a running gateway, not a file');
  const { entries, options } = file ? { entries: entriesIn(file), options: {} } : await watched(flags);
  const findings = lintWithSales(entries, options);
  console.log(flags.json ? makeJsonPrintable(JSON.stringify(findings, null, 2)) : findingsText(findings));
  process.exitCode = findings.length > 0 ? 1 : 0;
}

async function watched(flags: LintFlags): Promise<{ entries: JournalEntry[]; options: LintOptions }> {
  const gateway: ControlledGateway = findRunningGateway(flags);
  return withGatewayErrorsExplained(gateway, async () => {
    if (flags.probeWebhooks)
      for (const { id, verified, error } of await probeWebhookSignatures(gateway))
        if (verified === null)
          console.error(makePrintable(`pinpad: webhook ${id} could not be probed: ${error}`));
    return { entries: await readJournal(gateway), options: { until: await readGatewayTimeMs(gateway) } };
  });
}

function entriesIn(file: string): JournalEntry[] {
  try {
    const text = readFileSync(file, 'utf8').trim();
    const whole = text.startsWith('[') || /^\{\s*"entries"/.test(text);
    const read = whole ? JSON.parse(text) : text.split('\n').map((line) => JSON.parse(line));
    const entries = Array.isArray(read) ? read : read.entries;
    if (
      entries.every((entry: JournalEntry) => typeof entry?.kind === 'string' && typeof entry.seq === 'number')
    )
      return entries;
    throw new Error('the file does not contain journal entries');
  } catch (error) {
    throw new StartError(`${file}: ${describeFileFault(error)}`);
  }
}
