import { expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { RunningCommand } from './command.ts';
import { CommandSecrets } from './secrets.ts';

test('tokens and secret addresses that a command prints are not stored (B304)', async () => {
  const variables = {
    PINPAD_URL: 'http://127.0.0.1:8080',
    PINPAD_TOKEN: 'pt-sandbox-1',
    PINPAD_CONTROL_TOKEN: 'pt-control-2',
    PINPAD_BELIEFS_URL: 'http://127.0.0.1:8080/beliefs/secret3',
    PINPAD_EXPLORE_URL: 'http://127.0.0.1:9090/secret4',
    HTTPS_PROXY: 'http://pinpad:secret5@127.0.0.1:9091',
  };
  const secrets = new CommandSecrets();
  secrets.add(variables);
  const prints =
    'for (const n of Object.keys(process.env).sort()) if (/^(PINPAD|HTTPS)_/.test(n)) console.log("x".repeat(1993) + process.env[n])';
  const command = new RunningCommand(
    [process.execPath, '-e', prints.replace('1993', '0')],
    variables,
    secrets,
  );
  const cut = new RunningCommand([process.execPath, '-e', prints], variables, secrets);
  for (const each of [command, cut])
    await each.endedWithin(systemClock, 60_000, new AbortController().signal);
  expect(command.output).toEqual([
    'http://pinpad:…@127.0.0.1:9091',
    'http://127.0.0.1:8080/beliefs/$PINPAD_BELIEFS_URL',
    '$PINPAD_CONTROL_TOKEN',
    'http://127.0.0.1:9090/$PINPAD_EXPLORE_URL',
    '$PINPAD_TOKEN',
    'http://127.0.0.1:8080',
  ]);
  expect(cut.output.join('\n')).not.toMatch(/pt-|secret/);
});
