/**
 * Something that waits for virtual time to pass. Its moments are in milliseconds of the virtual clock's monotonic time.
 */
export interface TimeWait {
  /** The name of the wait in messages for people, for example `GET /payment-requests/status`. */
  readonly by: string;
  /** Virtual time may move up to this moment because of this wait. */
  readonly untilMs: number;
  /**
   * Whether the wait fails when virtual time reaches `untilMs`. If so, some real time passes first, so that a program
   * that is slow to begin can still act (a last chance).
   */
  readonly fails?: boolean;
}

/** The facts that decide how far virtual time moves next. The facts describe a moment when nothing is in flight. */
interface Standing {
  readonly nowMs: number;
  /** The moment when the next timer is due. */
  readonly dueMs: number | undefined;
  readonly waits: readonly TimeWait[];
  /** Whether a terminal waits for a person. */
  readonly personIsAsked: boolean;
  /** The present moment of the real clock. The times in the fields below are in real time too. */
  readonly realMs: number;
  /** The moment when something last began or ended. */
  readonly changedMs: number;
  readonly patienceMs: number;
  readonly lastChanceMs: number;
  /** The waits that were given a last chance, each with the moment when that chance is over. */
  readonly chances: { get(wait: TimeWait): number | undefined };
}

/** The moment to which time moves, or the reason why time stands still. */
export type NextTimeStep =
  | { readonly toMs: number }
  | { readonly stands: 'nobodyWaits' | 'personIsAsked' }
  /**
   * Time stands still until the moment `untilRealMs` of the real clock, because something may still happen.
   * `lastChance` is the wait that would fail after that moment.
   */
  | { readonly stands: 'patience'; readonly untilRealMs: number; readonly lastChance?: TimeWait };

/**
 * Decides whether virtual time may move by itself now, and to which moment. Time moves to the next timer if something
 * waits for time to pass, no terminal waits for a person, and nothing has happened for `patienceMs`. The caller makes
 * sure that nothing is in flight.
 */
export function decideNextTimeStep(standing: Standing): NextTimeStep {
  const { nowMs, dueMs, waits, realMs, changedMs, patienceMs } = standing;
  const farthestMs = Math.max(...waits.map(({ untilMs }) => untilMs));
  if (waits.length === 0 || farthestMs < nowMs) return { stands: 'nobodyWaits' };
  if (standing.personIsAsked) return { stands: 'personIsAsked' };
  const toMs = Math.max(nowMs, Math.min(dueMs ?? farthestMs, farthestMs));
  const failing = waits.find(({ fails, untilMs }) => fails && untilMs <= toMs);
  const chanceMs = failing && (standing.chances.get(failing) ?? realMs + standing.lastChanceMs);
  const untilRealMs = Math.max(changedMs + patienceMs, chanceMs ?? 0);
  if (untilRealMs <= realMs) return { toMs };
  return { stands: 'patience', untilRealMs, ...(failing && { lastChance: failing }) };
}
