/** Somebody who waits for time. Moments of the virtual clock are monotonic. */
export interface TimeWait {
  /** As people call it: `GET /payment-requests/status`. */
  readonly by: string;
  /** Time moves no further for it. */
  readonly untilMs: number;
  /** It fails when time comes there: before that it has a last chance in real time. */
  readonly fails?: boolean;
}

/** How things stand where nothing is in flight. */
interface Standing {
  readonly nowMs: number;
  /** When the next timer is due. */
  readonly dueMs: number | undefined;
  readonly waits: readonly TimeWait[];
  /** Whether a terminal waits for a person. */
  readonly personIsAsked: boolean;
  /** On the real clock, as the rest. */
  readonly realMs: number;
  /** When something last began or ended. */
  readonly changedMs: number;
  readonly patienceMs: number;
  readonly lastChanceMs: number;
  /** When the last chance is over of each wait that was given one. */
  readonly chances: { get(wait: TimeWait): number | undefined };
}

/** To where time moves, or why it stands. */
export type NextStep =
  | { readonly toMs: number }
  | { readonly stands: 'nobodyWaits' | 'personIsAsked' }
  /** Something may still happen by then, on the real clock; `lastChance` is the wait that would fail. */
  | { readonly stands: 'patience'; readonly untilRealMs: number; readonly lastChance?: TimeWait };

/**
 * Whether virtual time may move by itself now, and to where: to the next timer, where somebody waits for it, no terminal waits
 * for a person, and nothing has happened for the patience. Whoever moves time sees to it that nothing is in flight.
 */
export function nextStep(standing: Standing): NextStep {
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
