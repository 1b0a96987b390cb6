import { Command } from 'commander';
import { addGatewayOptions, type GatewayFlags, resolveConfigWithFlags } from './gateway-options.ts';
import { readyJson, readyText } from './ready.ts';
import { runStackUntilStopped } from './run-gateway.ts';

export function makeGatewayCommand(): Command {
  const command = new Command('gateway').description(
    'Starts the gateway, but no terminals. The gateway provisions the terminals of the configuration. ' +
      'Start these terminals with "pinpad terminal" here or on another machine.',
  );
  return addGatewayOptions(command).action((flags: GatewayFlags) => {
    const config = resolveConfigWithFlags(flags);
    return runStackUntilStopped(config, { terminals: false }, (stack) =>
      console.log(flags.json ? readyJson(stack) : readyText(stack, config)),
    );
  });
}
