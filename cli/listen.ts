import { Command } from 'commander';
import { makeWebhookSecret } from '../gateway/index.ts';
import { systemRandom } from '../shared/random.ts';
import { followEvents, forwardTo, StartError, withGateway } from '../stack/index.ts';
import { type AttachFlags, addAttachOptions, attachedGateway } from './attached-gateway.ts';
import { option } from './options.ts';
import { stopRequested } from './until-stopped.ts';

type ListenFlags = AttachFlags & {
  account?: string;
  forwardTo?: string;
  secret?: string;
  json?: boolean;
};

export function listenCommand(): Command {
  const command = new Command('listen')
    .description(
      'Shows the events of a running gateway as they happen. With --forward-to it posts each, signed as a webhook is, to\n' +
        'an address that only this machine may reach. What is not received is not sent again: register a webhook for that\n' +
        '(docs/webhooks.md).',
    )
    .option('--account <id>', "only this account's events")
    .addOption(option('--forward-to <url>', 'post each event there'))
    .addOption(option('--secret <secret>', 'whsec_… that signs what is forwarded; made when absent'))
    .option('--json', 'print each event as a line of JSON');
  return addAttachOptions(command).action(listen);
}

async function listen(flags: ListenFlags): Promise<void> {
  const gateway = attachedGateway(flags);
  const forward = forwarder(flags);
  const stop = new AbortController();
  const { stopped } = stopRequested();
  void stopped.then(() => stop.abort());
  const accountId = flags.account;
  await withGateway(gateway, () =>
    followEvents(
      { ...gateway, signal: stop.signal, accountId },
      async (event) => {
        if (flags.json) console.log(JSON.stringify(event));
        else console.log(`${event.createdAt}  ${event.type}  ${event.resourceId}`);
        if (forward) console.error(`  ${event.type} -> ${flags.forwardTo}: ${await forward(event)}`);
      },
      () => console.error(`Listening to ${gateway.url}. Ctrl-C ends.`),
    ).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    }),
  );
  if (!stop.signal.aborted) throw new StartError(`the gateway at ${gateway.url} is gone`);
}

function forwarder({ forwardTo: url, secret = makeWebhookSecret(systemRandom) }: ListenFlags) {
  if (url === undefined) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new StartError(`--forward-to ${url}: give an http or https URL`);
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret))
    throw new StartError('--secret must be whsec_ and 24 to 64 bytes in base64');
  console.error(`Forwarding to ${url}, signed with ${secret}`);
  return forwardTo(url, secret);
}
