import { Command } from 'commander';
import { makePrintable } from '../../shared/printable.ts';
import { controlClientOf, withGatewayErrorsExplained } from '../../stack/running-gateway.ts';
import { type AttachFlags, addAttachOptions, findRunningGateway } from '../attached-gateway.ts';
import { openInBrowser } from '../open-in-browser.ts';

interface ConsoleFlags extends AttachFlags {
  open?: boolean;
}

export function makeConsoleCommand(): Command {
  const command = new Command('console').description(
    'Prints a link to the console of the gateway that runs here. ' +
      'One browser can sign in with the link, within 15 minutes (docs/console.md).',
  );
  return addAttachOptions(command)
    .option('--open', 'open the link in the browser of this machine')
    .action(printLink);
}

async function printLink(flags: ConsoleFlags): Promise<void> {
  const gateway = findRunningGateway(flags);
  const { url } = await withGatewayErrorsExplained(gateway, () =>
    controlClientOf(gateway).POST('/control/console-links'),
  );
  const link = flags.url ? asReached(url, flags.url) : url;
  console.log(makePrintable(link));
  // If no browser opens, the printed link is enough.
  if (flags.open)
    await openInBrowser(link).catch((error: Error) => console.error(`pinpad: ${error.message}`));
}

/**
 * Replaces the gateway's local address in a link with the given address. A gateway without a public address makes links
 * with its local address. If there is a balancer or a tunnel, users can reach the gateway only at another address.
 */
function asReached(link: string, given: string): string {
  const { hostname, pathname, hash } = new URL(link);
  const isOwn = /^(localhost|127\.|\[::1\])/.test(hostname);
  return isOwn ? new URL(pathname + hash, given).href : link;
}
