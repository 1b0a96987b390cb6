import { Command } from 'commander';
import { createLog } from '../shared/log.ts';
import { type Config, type Stack, StartError } from '../stack/index.ts';
import { canShowTui, runTui } from '../terminal-emulator/index.ts';
import { bundleInBackgroundIfOutdated } from './bundle-later.ts';
import { addGatewayOptions, type GatewayFlags, resolveConfigWithFlags } from './gateway/gateway-options.ts';
import { readyJson, readyText } from './gateway/ready.ts';
import { runStackUntilStopped } from './gateway/run-gateway.ts';
import { handleStopSignals } from './listen-for-stop.ts';
import { makeOption } from './options.ts';
import { addReaderOption, type ReaderFlags } from './readers/reader-options.ts';

interface UpFlags extends GatewayFlags, ReaderFlags {
  headless?: boolean;
  auto?: string;
  wedge?: 'on' | 'off';
}

export function makeUpCommand(): Command {
  const command = new Command('up')
    .description(
      'Starts a gateway and its terminals. In a terminal window it shows the card terminals: press their keys, present cards, and ring up sales. ' +
        'Without a terminal window, or with --headless, it prints commands to paste and runs until Ctrl-C.',
    )
    .addOption(makeOption('--headless', 'show no screen, even in a terminal window'))
    .addOption(
      makeOption('--auto <card>', 'an automatic shopper pays everything with this card, e.g. visa-credit'),
    )
    .addOption(
      makeOption(
        '--wedge <state>',
        'whether the screen accepts card readers that type like a keyboard (on)',
      ).choices(['on', 'off']),
    );
  return addGatewayOptions(addReaderOption(command)).action(up);
}

async function up({ headless, auto, reader, wedge, ...flags }: UpFlags): Promise<void> {
  const config = withWedge(withShopper(resolveConfigWithFlags(flags), auto), wedge);
  const screen = !headless && !flags.json && canShowTui(process.stdin, process.stdout, process.env);
  await runStackUntilStopped(
    screen ? { ...config, logLevel: 'silent' } : config,
    { terminals: true, readers: reader },
    async (stack, stop) => {
      const level = screen ? 'silent' : config.logLevel;
      const endBundling = bundleInBackgroundIfOutdated(stack.runtime, (outcome) =>
        createLog(level).debug({ outcome }, 'bundle'),
      );
      void handleStopSignals().stopped.then(endBundling);
      if (flags.json) console.log(readyJson(stack));
      else if (screen) await show(stack, stop);
      else console.log(readyText(stack, config));
    },
  );
}

async function show(stack: Stack, stop: () => void): Promise<void> {
  const leaving = new AbortController();
  if (stack.emulator) {
    const { makeTuiSource } = await import('./tui-source.ts');
    const source = makeTuiSource(stack, stack.emulator, leaving.signal);
    await runTui(source, { clock: stack.runtime.realClock });
    if (source.recorder?.recording) console.log(await source.recorder.toggle());
  }
  leaving.abort();
  stop();
}

function withShopper(config: Config, card: string | undefined): Config {
  if (card === undefined) return config;
  if (!/^[a-z0-9-]+$/.test(card))
    throw new StartError(`--auto must be the id of a card (docs/cards.md), not ${card}`);
  return { ...config, shopper: { card, entry: 'ICC', tip: 'none', thinkMs: 0 } };
}

/**
 * Turns keyboard-wedge readers on or off. If they are on, the configuration still says which characters a reader types
 * before and after a track.
 */
function withWedge(config: Config, state: UpFlags['wedge']): Config {
  if (state === undefined || (state === 'on' && config.readers.wedge !== false)) return config;
  return { ...config, readers: { ...config.readers, wedge: state === 'on' } };
}
