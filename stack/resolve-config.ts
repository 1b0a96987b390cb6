import { type Config, config } from './config.ts';
import { loadConfig } from './load-config.ts';
import { StartError } from './start-error.ts';

/** The settings with which a command line or a test may override a configuration file. */
export type ConfigChanges = Partial<Config>;

/** Returns the configuration that applies: defaults, then `file` if it is given, then `changes`. */
export function resolveConfig(file: string | undefined, changes: ConfigChanges = {}): Config {
  const base: Partial<Config> = file === undefined ? {} : loadConfig(file);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  // A command line can only switch Adyen's API on or off, so the file's settings for it stay.
  if (given.adyen === true && typeof base.adyen === 'object') delete given.adyen;
  // the check runs once, so compiling is not worth it
  const checked = config.safeParse({ ...base, ...given }, { jitless: true });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new StartError(`${issue?.path.join('.')}: ${issue?.message}`);
}
