import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';

/** What certificates are dated and numbered by. */
export interface CertificateSources {
  /** The real one: who checks a certificate compares it with a clock of its own. */
  readonly clock: Clock;
  readonly random: Random;
}
