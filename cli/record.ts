import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { recordStory } from '../scenarios/index.ts';
import type { JournalEntry } from '../shared/journal.ts';
import { type ControlledGateway, callControl, followJournal, StartError } from '../stack/index.ts';
import { type AttachFlags, addAttachOptions, attachedGateway, withGateway } from './attached-gateway.ts';
import { readStage } from './recorded-stage.ts';
import { stopRequested } from './until-stopped.ts';

interface RecordFlags extends AttachFlags {
  name?: string;
  force?: boolean;
}

export function recordCommand(): Command {
  const command = new Command('record')
    .description(
      'Watches the gateway that runs here: what hands do at its terminals and what a point of sale sends becomes a\n' +
        'story that waits for states, not for times, and expects what was seen. Ctrl-C ends and writes the file.\n\n' +
        'Card numbers and PINs are never written: a PIN is "right" or "wrong", a card that is no test card is played by one.',
    )
    .argument('<file>', 'the story to write, e.g. stories/refund.yaml');
  return addAttachOptions(command)
    .option('--name <name>', 'the name of the story (Recorded)')
    .option('--force', 'write over a file that is there')
    .action(record);
}

async function record(file: string, flags: RecordFlags): Promise<void> {
  if (existsSync(file) && !flags.force)
    throw new StartError(`${file} is there already; --force writes over it`);
  const gateway = attachedGateway(flags);
  await withGateway(gateway, async () => {
    const before = await readStage(gateway);
    const { last } = await callControl<{ last: number }>(gateway, 'GET', '/journal?limit=1');
    const entries: JournalEntry[] = [];
    const stop = new AbortController();
    const following = followJournal({ ...gateway, signal: stop.signal, since: last }, (entry) =>
      entries.push(entry),
    );
    console.log(`Recording ${gateway.url}: act on the terminals, send payments; Ctrl-C ends.`);
    const stopped = await Promise.race([
      stopRequested().stopped.then(() => true),
      following.then(() => false),
    ]);
    stop.abort();
    entries.push(...(await sinceThen(gateway, entries.at(-1)?.seq ?? last)));
    if (!stopped) console.error('The gateway is gone.');
    if (entries.length === 0) throw new StartError('nothing happened, so nothing was written');
    // Who and what is new came with what was recorded; a gateway that is gone tells no more.
    const stage = { ...(await readStage(gateway).catch(() => before)), accounts: before.accounts ?? [] };
    writeFileSync(file, recordStory(entries, { ...stage, name: flags.name ?? 'Recorded' }));
    console.log(`Written to ${file}; play it with: pinpad run ${file}`);
  });
}

/** What happened while the stream was let go of; nothing where the gateway is gone. */
async function sinceThen(gateway: ControlledGateway, seq: number): Promise<JournalEntry[]> {
  const path = `/journal?since=${seq}&limit=10000`;
  const rest = await callControl<{ entries: JournalEntry[] }>(gateway, 'GET', path).catch(() => undefined);
  return rest?.entries ?? [];
}
