import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';

/** The sources of a certificate's dates and serial number. */
export interface CertificateSources {
  /** This is the real clock, because clients compare a certificate's dates with their own clocks. */
  readonly clock: Clock;
  readonly random: Random;
}
