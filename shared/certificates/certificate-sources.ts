import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';

/** The sources of a certificate's dates and serial number. */
export interface CertificateSources {
  /** The real clock, because a client compares the dates with a clock of its own. */
  readonly clock: Clock;
  readonly random: Random;
}
