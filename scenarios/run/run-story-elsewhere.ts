import { systemClock } from '../../shared/clock.ts';
import { type RunningGateway, remoteBackstage } from '../stage/remote-stage.ts';
import { type Story, stepsOf } from '../story/load-story.ts';
import { milliseconds } from '../story/values.ts';
import { playStory } from './play-story.ts';
import { findingsOf, type StoryResult, type StoryRunOptions } from './run-story.ts';

/** Longer than this nobody waits for a story in real time. */
const longestRealMs = 10_000;

/**
 * Plays a story against a gateway that runs elsewhere, in real time; skips one that cannot be played there. The
 * gateway chooses identifiers by itself, so a seed changes nothing.
 */
export async function runStoryElsewhere(
  story: Story,
  gateway: RunningGateway,
  options: StoryRunOptions = {},
): Promise<StoryResult> {
  const startedAt = systemClock.now();
  const reason = whyNotElsewhere(story, gateway);
  const common = { story, seed: story.needs.seed ?? 1 };
  if (reason) return { ...common, verdict: 'skipped', reason, tookMs: 0, journal: [], findings: [] };
  const backstage = await remoteBackstage(gateway, story.needs);
  try {
    await options.onStage?.(backstage);
    const before = await backstage.journalSince(0);
    const firstSeq = before.at(-1)?.seq ?? 0;
    const { failure, journal } = await playStory(story, backstage, {
      ...options,
      firstSeq,
      stored: 'ignore', // what was stored are the values of a seed
    });
    const tookMs = systemClock.now() - startedAt;
    return {
      ...common,
      verdict: failure ? 'failed' : 'passed',
      tookMs,
      journal,
      findings: findingsOf(journal, backstage),
      ...(failure ? { failure } : {}),
    };
  } finally {
    await backstage.close();
  }
}

/** Why a story needs a stack of its own, or virtual time. */
export function whyNotElsewhere({ steps, needs }: Story, { url }: RunningGateway): string | undefined {
  const all = stepsOf(steps).flatMap((step) => ('verb' in step ? [step] : []));
  const passes = all.filter(({ verb }) => verb.name === 'pass');
  const waitsMs = passes.reduce((sum, { fields }) => sum + milliseconds(String(fields.pass)), 0);
  if (waitsMs > longestRealMs) return `needs virtual time: ${waitsMs / 1000} s pass`;
  if (all.some(({ verb }) => verb.name === 'restart gateway')) return 'restarts the gateway';
  if (needs.timeouts || needs.rateLimit) return 'needs settings of the gateway itself';
  if (needs.clock === 'virtual') return 'needs virtual time';
  if (needs.webhooks && !isThisMachine(url)) return 'its webhooks cannot reach this machine from there';
  return undefined;
}

/** Receivers of webhooks listen on this machine alone. */
function isThisMachine(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
