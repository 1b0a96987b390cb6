import type { Runtime } from '../shared/runtime.ts';
import {
  type Emulator,
  presentWedgeSwipe,
  type TuiWedge,
  wedgeSettingsSchema,
} from '../terminal-emulator/index.ts';
import type { AttachedReaders } from './attach-readers.ts';
import type { Config } from './config.ts';
import type { Credentials } from './credentials.ts';

/** The name under which the credentials keep the key of card fingerprints, and the key's prefix. */
const fingerprints = ['card fingerprints', 'fpr_'] as const;

/** Returns the key of card fingerprints, which is the same for all readers. */
export function fingerprintSecret(credentials: Credentials): string {
  return credentials.secret(...fingerprints);
}

/**
 * Turns what keyboard-wedge readers type at a screen of this process into swipes on its terminals. Returns undefined if
 * that is switched off.
 */
export function createWedge(
  { readers: { rules, wedge = true } }: Pick<Config, 'readers'>,
  emulator: Emulator,
  attached: AttachedReaders,
  credentials: Credentials,
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
 * Returns the key of card fingerprints. It is made only at the first swipe, so that all other keys that come from a
 * seed are the same with and without a swipe.
 */
function storedFingerprintSecret(credentials: Credentials, { journal }: Runtime): string {
  const secret = fingerprintSecret(credentials);
  try {
    credentials.save();
  } catch (error) {
    // The swipe goes on, but the card has another fingerprint after the next start.
    journal.add('warning', {
      message: `the key for card fingerprints could not be stored: ${(error as Error).message}`,
    });
  }
  return secret;
}
