import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { StartError } from '../stack/index.ts';
import { gatewayCommand } from './gateway.ts';
import { lintCommand } from './lint.ts';
import { listenCommand } from './listen.ts';
import { openapiCommand } from './openapi.ts';
import { payCommand } from './pay.ts';
import { readerEmulatorCommand } from './reader-emulator.ts';
import { readersCommand } from './readers.ts';
import { recordCommand } from './record.ts';
import { runCommand } from './run.ts';
import { terminalCommand } from './terminal.ts';
import { tokenCommand } from './token.ts';
import { traceCommand } from './trace.ts';
import { triggerCommand } from './trigger.ts';
import { upCommand } from './up.ts';

const help = `
Start here:
  $ pinpad up                      a gateway and two terminals, on the screen you tap
  $ pinpad up --headless           the same without a screen, for scripts and tests
  $ pinpad pay 12.50 --tip         a sale on the first terminal of the gateway running here
  $ pinpad run stories/            scenario files, played in virtual time

Every option can also be an environment variable: --log-level is PINPAD_LOG_LEVEL.`;

/** Runs the command line and sets the exit code: 0 done, 1 failed or declined, 2 not started. */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', ignoreClosedPipe);
  const program = new Command('pinpad')
    .description(
      'A payments gateway and emulated card terminals for people who write point-of-sale applications',
    )
    .version(packageJson.version)
    .addHelpText('after', help)
    .showHelpAfterError('Try: pinpad --help')
    .exitOverride();
  for (const command of [
    upCommand(),
    gatewayCommand(),
    terminalCommand(),
    payCommand(),
    runCommand(),
    traceCommand(),
    lintCommand(),
    recordCommand(),
    listenCommand(),
    triggerCommand(),
    tokenCommand(),
    readersCommand(),
    readerEmulatorCommand(),
    openapiCommand(),
  ])
    program.addCommand(command.exitOverride().showHelpAfterError(`Try: pinpad ${command.name()} --help`));
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Whoever read our output has read enough, as in `pinpad openapi | head`; a gateway runs on. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof StartError) console.error(`pinpad: ${error.message}`);
  else console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  return error instanceof StartError ? 2 : 1;
}
