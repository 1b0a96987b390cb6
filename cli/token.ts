import { Command, InvalidArgumentError, Option } from 'commander';
import type { Token } from '../client/openapi-types.ts';
import { isoTime, systemClock } from '../shared/clock.ts';
import { makeJsonPrintable, makePrintable } from '../shared/printable.ts';
import { controlClientOf, StartError, withGatewayErrorsExplained } from '../stack/running-gateway.ts';
import {
  type AttachFlags,
  addAttachOptions,
  fetchRequestedAccounts,
  findRunningGateway,
} from './attached-gateway.ts';

type TokenFlags = AttachFlags & { account?: string; json?: boolean };

export function makeTokenCommand(): Command {
  const command = new Command('token').description(
    'API tokens belong to one account and one environment. ' +
      'A token is shown once, when it is created; the gateway stores only its hash.',
  );
  for (const each of [createCommand(), listCommand(), revokeCommand()])
    command.addCommand(each.exitOverride().showHelpAfterError(`Try: pinpad token ${each.name()} --help`));
  return command;
}

function createCommand(): Command {
  const command = new Command('create')
    .summary('create a token and print it')
    .option('--account <id>', 'the account; by default the first account')
    .addOption(
      new Option('--environment <environment>', 'the environment in which the token is valid')
        .choices(['sandbox', 'production'])
        .default('sandbox'),
    )
    .option('--label <text>', 'the label of the token in lists', 'created by pinpad token')
    .option(
      '--expires <when>',
      'when the token expires: a time such as 2027-01-31T00:00:00Z, or a number of days such as 30d',
      expiry,
    )
    .option('--json', 'print the answer as JSON');
  return addAttachOptions(command).action(create);
}

/** Reads the time at which a token expires. The text is a date, or a number of days from now, such as `30d`. */
function expiry(text: string): string {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  if (days !== undefined) return isoTime(systemClock.now() + Number(days) * 86_400_000);
  const moment = Date.parse(text);
  if (Number.isNaN(moment))
    throw new InvalidArgumentError('must be a time, or a number of days such as 30d.');
  return isoTime(moment);
}

async function create(
  flags: TokenFlags & { environment: 'sandbox' | 'production'; label: string; expires?: string },
): Promise<void> {
  const gateway = findRunningGateway(flags);
  const made = await withGatewayErrorsExplained(gateway, async () => {
    const [account] = await fetchRequestedAccounts(gateway, flags.account);
    if (!account) throw new StartError('the gateway has no account yet');
    return controlClientOf(gateway).POST('/control/tokens', {
      body: {
        accountId: account.id,
        environment: flags.environment,
        label: flags.label,
        expiresAt: flags.expires,
      },
    });
  });
  console.log(flags.json ? makeJsonPrintable(JSON.stringify(made)) : makePrintable(made.token ?? ''));
  if (!flags.json)
    console.error(
      makePrintable(
        `${made.environment} token ${made.id} of account ${made.accountId} was created; it is not shown again.`,
      ),
    );
}

function listCommand(): Command {
  const command = new Command('list')
    .summary('list tokens, without their secrets')
    .option('--account <id>', 'show only tokens of this account')
    .option('--json', 'print JSON');
  return addAttachOptions(command).action(list);
}

async function list(flags: TokenFlags): Promise<void> {
  const gateway = findRunningGateway(flags);
  const tokens = await withGatewayErrorsExplained(gateway, async () => {
    const all: Token[] = [];
    for (const { id: accountId } of await fetchRequestedAccounts(gateway, flags.account)) {
      const params = { path: { accountId } };
      all.push(...(await controlClientOf(gateway).GET('/control/accounts/{accountId}/tokens', { params })));
    }
    return all;
  });
  if (flags.json) return console.log(makeJsonPrintable(JSON.stringify(tokens)));
  for (const token of tokens)
    console.log(
      makePrintable([token.id, token.accountId, token.environment, standing(token), token.label].join('  ')),
    );
}

function standing({ expiresAt, revokedAt }: Token): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return expiresAt === null ? 'valid' : `valid until ${expiresAt}`;
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .summary('revoke a token')
    .argument('<id>', 'the identifier of the token, which "pinpad token list" shows');
  return addAttachOptions(command).action(async (tokenId: string, flags: TokenFlags) => {
    const gateway = findRunningGateway(flags);
    const params = { path: { tokenId } };
    const token = await withGatewayErrorsExplained(gateway, () =>
      controlClientOf(gateway).DELETE('/control/tokens/{tokenId}', { params }),
    );
    console.log(makePrintable(`${token.id}  ${standing(token)}`));
  });
}
