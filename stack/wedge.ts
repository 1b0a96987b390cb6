import type { Runtime } from '../shared/runtime.ts';
import {
  type Emulator,
  presentWedgeSwipe,
  type TuiWedge,
  wedgeSettingsSchema,
} from '../terminal-emulator/index.ts';
import type { AttachedReaders } from './attach-readers.ts';
import type { Config } from './config.ts';
import type { CredentialStore } from './credentials.ts';

/**
 * The name and the prefix under which the credentials keep the key of card fingerprints. The key's value begins with
 * the prefix.
 */
const fingerprints = ['card fingerprints', 'fpr_'] as const;

/** Returns the key that makes card fingerprints. All readers use the same key. */
export function findOrMakeFingerprintSecret(credentials: CredentialStore): string {
  return credentials.secret(...fingerprints);
}

/**
 * Keyboard-wedge readers type text on the screen. Returns an object that turns this text into swipes on the terminals
 * of this process. Returns undefined if wedge readers are switched off.
 */
export function createTuiWedge(
  { readers: { rules, wedge = true } }: Pick<Config, 'readers'>,
  emulator: Emulator,
  attached: AttachedReaders,
  credentials: CredentialStore,
  runtime: Runtime,
): TuiWedge | undefined {
  if (wedge === false) return undefined;
  return {
    settings: wedgeSettingsSchema.parse(wedge === true ? {} : wedge),
    swipe(poiId, tracks) {
      const terminal = emulator.terminal(poiId);
      if (!terminal) return `no terminal ${poiId} here`;
      const fingerprintKey = Buffer.from(storedFingerprintSecret(credentials, runtime));
      const ways = attached.ways(poiId);
      return presentWedgeSwipe(tracks, { terminal, rules, ways, fingerprintKey, journal: runtime.journal });
    },
  };
}

/**
 * Returns the key that makes card fingerprints. Makes the key only at the first swipe. If this key were made at the
 * start, the other keys that come from a seed would change.
 */
function storedFingerprintSecret(credentials: CredentialStore, { journal }: Runtime): string {
  const secret = findOrMakeFingerprintSecret(credentials);
  try {
    credentials.save();
  } catch (error) {
    // The swipe continues although the key was not stored. But after the next start, the same card gets another
    // fingerprint.
    journal.add('warning', {
      message: `the key for card fingerprints could not be stored: ${(error as Error).message}`,
    });
  }
  return secret;
}
