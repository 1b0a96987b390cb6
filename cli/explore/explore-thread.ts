import { serveRuns } from '../../explore/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';

/** The program of a thread that carries out runs for `pinpad explore`. */
void serveRuns({ clock: systemClock, random: systemRandom });
