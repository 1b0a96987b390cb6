import { type Config, configSchema } from './config.ts';
import { loadConfig } from './load-config.ts';
import { StartError } from './start-error.ts';

/** The settings with which a command line or a test may override a configuration file. */
export type ConfigChanges = Partial<Config>;

/** Returns the effective configuration: the settings of `file` override the defaults, and `changes` override both. */
export function resolveConfig(file: string | undefined, changes: ConfigChanges = {}): Config {
  const base: Partial<Config> = file === undefined ? {} : loadConfig(file);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  // A command line can only switch Adyen's API on. So if the file has further settings for this API, these settings
  // remain valid.
  if (given.adyen === true && typeof base.adyen === 'object') delete given.adyen;
  // the schema is used only once, so compiling the schema would not save time
  const checked = configSchema.safeParse({ ...base, ...given }, { jitless: true });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new StartError(`${issue?.path.join('.')}: ${issue?.message}`);
}
