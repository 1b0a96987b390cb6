import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { maskCardNumbers } from '../shared/masking/card-numbers.ts';
import { makeLinesPrintable } from '../shared/printable.ts';
import { StartError } from '../shared/start-error.ts';
import { handleStopSignals } from './listen-for-stop.ts';

const help = `
Start here:
  $ pinpad up                      starts a gateway and two terminals, and shows the terminals
  $ pinpad up --headless           does the same without a screen, for scripts and tests
  $ pinpad pay 12.50 --tip         makes a sale on the first terminal of the gateway that runs here
  $ pinpad run scenarios/          runs scenario files in virtual time

Most options can also be set by environment variables, such as --log-level by PINPAD_LOG_LEVEL. The help of a command
names its variables.`;

/**
 * The commands. Only the requested one is loaded, because loading all of them takes ten times as long as printing the
 * help.
 */
const commands: Record<string, { summary: string; lasting?: boolean; load(): Promise<() => Command> }> = {
  up: {
    summary: 'start a gateway and terminals, with a screen to operate them',
    lasting: true,
    load: async () => (await import('./up.ts')).makeUpCommand,
  },
  gateway: {
    summary: 'start the gateway without terminals; terminals connect from other processes',
    lasting: true,
    load: async () => (await import('./gateway/gateway.ts')).makeGatewayCommand,
  },
  terminal: {
    summary: 'start emulated terminals for any gateway',
    lasting: true,
    load: async () => (await import('./terminal.ts')).makeTerminalCommand,
  },
  pay: {
    summary: 'take a payment from the command line, with live progress',
    load: async () => (await import('./pay.ts')).makePayCommand,
  },
  refund: {
    summary: 'give money back at a terminal, with live progress',
    load: async () => (await import('./refund.ts')).makeRefundCommand,
  },
  run: {
    summary: 'run scenario files',
    load: async () => (await import('./run/run.ts')).makeRunCommand,
  },
  sales: {
    summary: 'show what your point of sale did, with a line for each sale',
    load: async () => (await import('./sales.ts')).makeSalesCommand,
  },
  explore: {
    summary:
      'repeat one sale, each time with another fault, and find the faults that your point of sale does not survive',
    load: async () => (await import('./explore/explore.ts')).makeExploreCommand,
  },
  payment: {
    summary: 'explain how a payment ended, and why',
    load: async () => (await import('./payment.ts')).makePaymentCommand,
  },
  trace: {
    summary: 'show what happens on a running gateway, message by message',
    load: async () => (await import('./trace.ts')).makeTraceCommand,
  },
  as: {
    summary:
      "run an unchanged point of sale, and redirect its calls for another vendor's terminals to a pinpad gateway",
    load: async () => (await import('./as/as.ts')).makeAsCommand,
  },
  console: {
    summary: 'print a link with which one browser can sign in to the console',
    load: async () => (await import('./console/console.ts')).makeConsoleCommand,
  },
  lint: {
    summary: 'find mistakes in your point of sale that cause trouble in the field',
    load: async () => (await import('./lint.ts')).makeLintCommand,
  },
  record: {
    summary: 'record your actions and the requests of your point of sale as a scenario',
    load: async () => (await import('./record/record.ts')).makeRecordCommand,
  },
  listen: {
    summary: 'show events as they happen, and forward them to a local URL',
    load: async () => (await import('./listen.ts')).makeListenCommand,
  },
  trigger: {
    summary: 'produce an event at a running gateway',
    load: async () => (await import('./trigger.ts')).makeTriggerCommand,
  },
  token: {
    summary: 'create, list and revoke API tokens of a running gateway',
    load: async () => (await import('./token.ts')).makeTokenCommand,
  },
  migrate: {
    summary: 'copy the data of a folder into a PostgreSQL database',
    load: async () => (await import('./migrate.ts')).makeMigrateCommand,
  },
  mcp: {
    summary:
      'serve tools to a coding agent, which starts gateways, reads what happened, and explores the commands that you name',
    lasting: true,
    load: async () => (await import('./mcp/mcp.ts')).makeMcpCommand,
  },
  readers: {
    summary: 'list card readers and serial ports',
    load: async () => (await import('./readers/readers.ts')).makeReadersCommand,
  },
  'reader-emulator': {
    summary: 'emulate a card reader on a serial line',
    load: async () => (await import('./readers/reader-emulator.ts')).makeReaderEmulatorCommand,
  },
  openapi: {
    summary: 'print the OpenAPI 3.1 document',
    load: async () => (await import('./openapi.ts')).makeOpenapiCommand,
  },
};

/** Runs the command line and sets the exit code: 0 done, 1 failed or declined, 2 not started. */
export async function main(argv: string[]): Promise<void> {
  forgetEmptyVariables();
  process.stdout.on('error', outputFailed);
  const program = new Command('pinpad')
    .description(
      'A payments gateway and emulated card terminals for people who write point-of-sale applications',
    )
    .version(packageJson.version)
    .addHelpText('after', help)
    .showHelpAfterError('Try: pinpad --help')
    .exitOverride();
  const asked = argv[2] === 'help' ? argv[3] : argv[2];
  // If the command runs until a signal stops it, this process listens for signals before it loads the command. So an
  // early Ctrl-C ends the command in the same way as a later Ctrl-C.
  if (commands[asked ?? '']?.lasting) handleStopSignals();
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = name === asked ? (await load())() : new Command(name);
    command.summary(summary).exitOverride().showHelpAfterError(`Try: pinpad ${name} --help`);
    program.addCommand(command);
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Deletes empty variables. If a shell or a compose file sets a variable to nothing, the variable counts as not set. */
function forgetEmptyVariables(): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('PINPAD_') && value === '') delete process.env[name];
}

/**
 * Handles an error of standard output. For example, `head` closed the pipe in `pinpad openapi | head`, or the disk is
 * full. A running gateway continues.
 */
function outputFailed(error: NodeJS.ErrnoException): void {
  const windowClosed = error.code === 'EIO' && process.stdout.isTTY;
  if (error.code === 'EPIPE' || windowClosed || process.exitCode === 1) return;
  process.exitCode = 1;
  console.error(`pinpad: cannot write to standard output: ${error.message}`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // The message may quote text of a gateway or of a file, so control characters in the message are replaced.
  const complain = (text: string) => console.error(makeLinesPrintable(maskCardNumbers(text)));
  if (error instanceof StartError) complain(`pinpad: ${error.message}`);
  else complain(String(error instanceof Error ? (error.stack ?? error.message) : error));
  return error instanceof StartError ? 2 : 1;
}
