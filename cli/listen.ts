import { createHmac } from 'node:crypto';
import { Command } from 'commander';
import type { Event } from '../client/openapi-types.ts';
import { isoTime, systemClock } from '../shared/clock.ts';
import { formatDecimalAmount } from '../shared/money.ts';
import { makeJsonPrintable, makePrintable } from '../shared/printable.ts';
import {
  type ControlledGateway,
  controlClientOf,
  createEventForwarder,
  type EventForwarder,
  followEvents,
  followOutcomes,
  StartError,
  type TerminalPaymentOutcome,
  withGatewayErrorsExplained,
} from '../stack/index.ts';
import {
  type AttachFlags,
  addAttachOptions,
  connectionEndedText,
  fetchRequestedAccounts,
  findRunningGateway,
} from './attached-gateway.ts';
import { handleStopSignals } from './listen-for-stop.ts';
import { makeOption } from './options.ts';

type ListenFlags = AttachFlags & {
  account?: string;
  all?: boolean;
  forwardTo?: string;
  secret?: string;
  json?: boolean;
};

export function makeListenCommand(): Command {
  const command = new Command('listen')
    .description(
      'Shows the events of charges, refunds and payment links at a running gateway as they happen. ' +
        'Payments on terminals have no events; --all shows their outcomes too.\n\n' +
        'With --forward-to the command posts each event, signed like a webhook, to a URL that this machine can reach. ' +
        'If your program misses an event, the event is not sent again. If you need every event, register a webhook (docs/webhooks.md).',
    )
    .option('--account <id>', 'show only events of this account')
    .option('--all', 'also show the outcome of every payment on a terminal')
    .addOption(makeOption('--forward-to <url>', 'post each event to this URL'))
    .addOption(
      makeOption(
        '--secret <secret>',
        'the secret (whsec_…) that signs forwarded events; by default a secret that is derived from the control token',
      ),
    )
    .option('--json', 'print each event or outcome as a line of JSON');
  return addAttachOptions(command).action((flags: ListenFlags) => {
    if (flags.forwardTo === undefined && command.getOptionValueSource('secret') === 'cli')
      throw new StartError(
        '--secret signs the events that --forward-to posts: add --forward-to, or leave out --secret',
      );
    return listen(flags);
  });
}

async function listen(flags: ListenFlags): Promise<void> {
  const gateway = findRunningGateway(flags);
  const forward = forwarder(flags, gateway);
  const { signal } = handleStopSignals();
  const lost = () => console.error(connectionEndedText(gateway));
  const watching = { clock: systemClock, signal, onLost: lost };
  const followed = { ...gateway, ...watching, accountId: flags.account };
  await withGatewayErrorsExplained(gateway, async () => {
    const accounts = await fetchRequestedAccounts(gateway, flags.account);
    const currencies = new Map(accounts.map(({ id, currency }) => [id, currency]));
    const events = followEvents(
      followed,
      async (event) => {
        console.log(
          flags.json
            ? makeJsonPrintable(JSON.stringify(event))
            : eventLine(event, currencies.get(event.accountId)),
        );
        if (forward)
          console.error(makePrintable(`  ${event.type} -> ${flags.forwardTo}: ${await forward(event)}`));
      },
      () => console.error(`Listening to ${gateway.url}. Ctrl-C ends.`),
    );
    const following = flags.all ? [events, showOutcomes(followed, flags)] : [events];
    await Promise.all(following).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  });
}

/** Prints the outcome of each terminal payment, until the signal aborts. */
async function showOutcomes(
  followed: Parameters<typeof followOutcomes>[0],
  { account, json }: ListenFlags,
): Promise<void> {
  const concerns = await outcomeFilter(followed, account);
  await followOutcomes({ ...followed, onLost: () => {} }, (outcome) => {
    if (concerns(outcome))
      console.log(json ? makeJsonPrintable(JSON.stringify(outcome)) : outcomeLine(outcome));
  });
}

/** Makes a function that checks whether an outcome belongs to one of the account's terminals. */
async function outcomeFilter(
  gateway: ControlledGateway,
  accountId: string | undefined,
): Promise<(outcome: TerminalPaymentOutcome) => boolean> {
  if (accountId === undefined) return () => true;
  const terminals = await controlClientOf(gateway).GET('/control/terminals', {
    params: { query: { accountId } },
  });
  const names = new Set<string | undefined>(terminals.map(({ poiId }) => poiId));
  return ({ terminal }) => names.has(terminal);
}

/** Returns a line such as `2026-01-05T09:00:00.000Z  payments.refunds.created  EUR 3.00  6f…` */
function eventLine({ createdAt, type, data, resourceId }: Event, currency: string | undefined): string {
  const amount = [currency, data.amount].filter(Boolean).join(' ');
  return makePrintable([createdAt, type, amount, resourceId].join('  '));
}

/**
 * Returns a line such as `2026-01-05T09:00:00.000Z  payment failure cancel  EUR 12.50  6f…  on V400m-100000001: the
 * customer …`
 */
function outcomeLine({
  at,
  result,
  errorCondition,
  amount,
  currency,
  payment,
  terminal,
  why,
}: TerminalPaymentOutcome): string {
  const how = ['payment', result, errorCondition].filter(Boolean).join(' ');
  const paid =
    amount !== undefined && currency !== undefined
      ? `${currency} ${formatDecimalAmount(amount, currency)}`
      : '';
  const where = terminal === undefined ? why : `on ${terminal}: ${why}`;
  return makePrintable([isoTime(at), how, paid, payment, where].filter(Boolean).join('  '));
}

function forwarder(
  { forwardTo: url, secret }: ListenFlags,
  gateway: ControlledGateway,
): EventForwarder | undefined {
  if (url === undefined) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new StartError(`--forward-to must be an http or https URL, not ${url}`);
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret))
    throw new StartError('--secret must be whsec_ followed by 24 to 64 bytes in base64');
  const signing = secret ?? ownSecret(gateway);
  console.error(`Forwarding to ${url}, signed with ${signing}`);
  return createEventForwarder(url, signing, systemClock);
}

/**
 * Derives the secret that signs forwarded events from the control token, so that the secret is the same at each start
 * of the command.
 */
function ownSecret({ controlToken }: ControlledGateway): string {
  return `whsec_${createHmac('sha256', controlToken).update('pinpad listen').digest('base64')}`;
}
