import { join } from 'node:path';
import { makeSeededRandom } from '../../shared/random.ts';
import type { Violation } from '../load/check.ts';
import { leaveEvidence } from '../load/evidence.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { CommonTrialRules } from './rules.ts';
import { countLoad, Tally } from './tally.ts';
import type { PlayedRound, RunningTrial, TrialContext, TrialKind, TrialOptions } from './trial.ts';

interface RunOptions extends Partial<TrialOptions> {
  seed: number;
  folder: string;
  say?(text: string): void;
  /** A function that is called between two rounds. */
  progress?(summary: TrialSummary): void;
}

export interface TrialSummary {
  rounds: number;
  tally: Tally;
  violations: Violation[];
}

const forEver = { rounds: Number.POSITIVE_INFINITY, minutes: Number.POSITIVE_INFINITY };
const unlessUsual: TrialOptions = {
  ...forEver,
  timeScale: 1,
  gateways: 1,
  ownLinks: false,
  terminals: 0,
  paying: 0,
};

/**
 * Plays rounds of a kind of trial until the first violation, and leaves the evidence of that violation in the folder.
 */
export async function runTrial(kind: TrialKind, options: RunOptions): Promise<TrialSummary> {
  const means = await meansOf(kind, options);
  const trial = await kind.open(means);
  const summary: TrialSummary = { rounds: 0, tally: means.tally, violations: [] };
  try {
    const last = await playAll(trial, means, summary, options).finally(() => trial.stop());
    summary.violations.push(...trial.findingsAtEnd());
    if (summary.violations.length > 0) {
      const evidence = join(means.folder, 'violation');
      await leaveEvidence(evidence, trial.world, means.receiver, last, summary.violations);
    }
  } finally {
    means.receiver.stop();
    await trial.remove();
  }
  return summary;
}

async function meansOf(
  kind: TrialKind,
  { seed, say = () => {}, ...options }: RunOptions,
): Promise<TrialContext> {
  const isLimited = options.rounds !== undefined || options.minutes !== undefined;
  const told = { ...unlessUsual, ...kind.usual, ...(isLimited && forEver), ...options };
  const random = makeSeededRandom(seed);
  const receiver = await WebhookReceiver.start(random, kind.anyTime);
  return { ...told, say, random, receiver, tally: new Tally() };
}

/** Plays all rounds, and resolves to the last one. */
async function playAll(
  trial: RunningTrial,
  means: TrialContext,
  summary: TrialSummary,
  { seed, progress }: RunOptions,
): Promise<PlayedRound> {
  const untilMs = performance.now() + means.minutes * 60_000;
  const rules = new CommonTrialRules(trial, means);
  const judge = async (played: PlayedRound) => {
    countLoad(means.tally, played.load);
    summary.violations.push(...(await rules.findings(played)), ...(await trial.findings()));
    return played;
  };
  await trial.start();
  let last = await judge(await trial.warmUp(`s${seed}-warm`));
  while (summary.violations.length === 0 && summary.rounds < means.rounds && performance.now() < untilMs) {
    if (summary.rounds > 0) progress?.(summary);
    trial.forget();
    last = await judge(await trial.play(`s${seed}-r${summary.rounds++}`));
  }
  return last;
}
