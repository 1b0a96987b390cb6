import { spawn } from 'node:child_process';
import { Command } from 'commander';
import { controlOf, withGateway } from '../../stack/running-gateway.ts';
import { type AttachFlags, addAttachOptions, attachedGateway } from '../attached-gateway.ts';

interface ConsoleFlags extends AttachFlags {
  open?: boolean;
}

export function consoleCommand(): Command {
  const command = new Command('console').description(
    'Prints a link to the console of the gateway that runs here. It signs a browser in once, within 15 minutes\n' +
      '(docs/console.md).',
  );
  return addAttachOptions(command)
    .option('--open', 'open it in the browser of this machine')
    .action(printLink);
}

async function printLink(flags: ConsoleFlags): Promise<void> {
  const gateway = attachedGateway(flags);
  const { url } = await withGateway(gateway, () => controlOf(gateway).POST('/control/console-links'));
  console.log(url);
  if (flags.open) openInBrowser(url);
}

/** What this system opens addresses with. Where there is none, the printed link is enough. */
function openInBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open', url],
    win32: ['cmd', '/c', 'start', '', url],
  };
  const [program = '', ...args] = openers[process.platform] ?? ['xdg-open', url];
  const opener = spawn(program, args, { stdio: 'ignore', detached: true });
  opener.on('error', (error) => console.error(`pinpad: no browser was opened: ${error.message}`));
  opener.unref();
}
