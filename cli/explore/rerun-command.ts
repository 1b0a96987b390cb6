import type { ExploreFlags } from './flags.ts';

/**
 * Returns the command line that reproduces a failure. The user can paste it into a shell in the folder in which the
 * exploration was started.
 */
export function rerunCommandText(
  schedule: string,
  argv: readonly string[],
  flags: ExploreFlags,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const { as, shopper, config, port, seed, before, restart, kill, linger, env, timeout, gateway } = flags;
  const values: [string, string | number | undefined][] = [
    ['--only', schedule],
    ['--as', as],
    ['--shopper', shopper === undefined ? undefined : withoutPin(shopper)],
    ['--config', config],
    ['--port', port],
    ['--seed', seed === 1 ? undefined : seed],
    ['--before', before],
    ['--restart', restart],
    ['--kill', kill],
    ...env.map((text): [string, string] => ['--env', text]),
    ['--timeout', timeout === undefined ? undefined : `${timeout} ms`],
  ];
  const options = values.flatMap(([name, value]) =>
    value === undefined ? [] : [name, quoted(String(value))],
  );
  const alone = linger ? ['--linger'] : [];
  const where = gateway === undefined ? [] : gatewayOf(flags);
  return [
    `${runnerOf(environment)}pinpad explore`,
    ...options,
    ...where,
    ...alone,
    '--',
    ...argv.map(quoted),
  ].join(' ');
}

/**
 * Returns "npx " if npx or a package script started this process, because the user's shell then may not find pinpad
 * without npx (B389).
 */
function runnerOf({ npm_execpath, npm_command }: Readonly<Record<string, string | undefined>>): string {
  return npm_execpath === undefined && npm_command === undefined ? '' : 'npx ';
}

/**
 * Returns the options that name the gateway, without tokens. The new process finds the tokens where this process found
 * them.
 */
function gatewayOf({ gateway, data, terminal }: ExploreFlags): string[] {
  return [
    '--gateway',
    ...(typeof gateway === 'string' ? [quoted(gateway)] : []),
    ...(data === '.pinpad' ? [] : ['--data', quoted(data)]),
    ...(terminal === undefined ? [] : ['--terminal', quoted(terminal)]),
  ];
}

/** Removes the PIN. No report contains a PIN, although the PIN of a test card is no secret. */
function withoutPin(shopper: string): string {
  return shopper.replace(/:pin=\d+/, '');
}

/**
 * Quotes the text if a shell would change it otherwise. A placeholder such as `{port}` needs no quotes, but bash expands
 * `{a,b}` and `{1..3}`.
 */
function quoted(text: string): string {
  return /^(?:[\w@%+=:,./-]|\{\w+\})+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
