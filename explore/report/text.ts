import type { Exploration } from '../exploration.ts';
import { describeSchedule } from '../plan/catalogue.ts';
import { scheduleText } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import type { ExplorationFindings, FailureGroup } from './failures.ts';

/** Colours a text if the user's terminal has colours. */
interface Paint {
  good(text: string): string;
  bad(text: string): string;
  faint(text: string): string;
}

/** Returns the command line that runs a schedule again. The command line contains no secrets. */
export type RerunCommandBuilder = (schedule: string) => string;

/** Returns the line that says what happened in the run without faults. */
export function plainRunLine(plain: RunRecord, faults: number): string {
  const requests = plain.requests.map(({ point, told }) => `${point}, ${told}`).join('; ');
  const said = plain.sales.some(({ beliefs }) => beliefs.length > 0) ? 'said' : 'not said';
  const took = (plain.tookMs / 1_000).toFixed(1);
  const moments = plain.passed.size === 1 ? '1 moment' : `${plain.passed.size} moments`;
  const apply = faults === 1 ? '1 fault applies' : `${faults} faults apply`;
  return `without faults, the run took ${took} s (${requests}) and passed ${moments}; ${apply}; a second run was the same; the beliefs of your point of sale were ${said}`;
}

/**
 * Whether the terminal waited for a card, but no card came, in the run without faults. If so, the user has probably
 * forgotten the option for the shopper.
 */
export function isCardMissing({ passed, entries, sales }: RunRecord): boolean {
  const isDone = sales.some(({ charged }) => (charged ?? 0) > 0);
  return !isDone && passed.has('presentCard') && !entries.some(({ kind }) => kind === 'terminal.card');
}

interface TextOptions {
  readonly paint: Paint;
  readonly again: RerunCommandBuilder;
  /** Writes the trace of a run, and returns the file. */
  trace(explored: ExploredSchedule): Promise<string>;
  readonly withOutput?: boolean;
}

/** Returns the report for people. */
export async function reportText(
  exploration: Exploration,
  findings: ExplorationFindings,
  options: TextOptions,
): Promise<string> {
  const { paint, again } = options;
  const { plain, left, explored } = exploration;
  const { failures, survived, testFails, unstable, known } = findings;
  const lines = [
    [
      failures.length > 0 ? paint.bad(`✗ ${failureCountText(findings)}`) : '',
      paint.good(`✓ ${survived.length} survived`),
      testFails.length > 0 ? `${testFails.length} in which your test fails, but the money is right` : '',
      known.length > 0 ? `${known.length} known` : '',
      unstable.length > 0 ? `${unstable.length} unstable` : '',
      left.length > 0 ? `${left.length} not run` : '',
    ]
      .filter(Boolean)
      .join('    '),
  ];
  for (const group of failures) lines.push(...(await failureLines(group, options)));
  for (const one of unstable)
    lines.push(
      `? ${scheduleText(one.schedule)}: ${one.verdict.says}, but not each time; try it again: ${again(scheduleText(one.schedule))}`,
    );
  lines.push(...testFailsLines(findings));
  lines.push(paint.faint(runsLine(exploration)), paint.faint(`covered  ${coveredText(findings)}`));
  for (const [what, why] of exploration.impossible)
    lines.push(paint.faint(`not possible here: ${what}, because ${why}`));
  lines.push(...exploration.oftener);
  if (findings.neverReached.length > 0) lines.push(`never reached: ${findings.neverReached.join('; ')}`);
  lines.push(...hangUpTimeLines(explored));
  const unjudged = explored.reduce((sum, { run }) => sum + run.unjudgedDeliveries.length, 0);
  if (unjudged > 0)
    lines.push(
      `${unjudged === 1 ? '1 delivery was' : `${unjudged} deliveries were`} not judged, because the webhook receiver had ended when the command ended (--linger keeps the receiver running)`,
    );
  lines.push(...exploration.remarks);
  if (!plain.sales.some(({ beliefs }) => beliefs.length > 0))
    lines.push(
      'your point of sale did not report whether it believes that a sale is paid. "pinpad explore" finds more failures if your point of sale reports "paid" or "notPaid" for each sale:',
      `  POST $PINPAD_BELIEFS_URL  {"saleReferenceId": "…", "believes": "paid"}`,
    );
  return lines.join('\n');
}

/** Returns the numbers of failures and causes as text, such as `31 failures of 8 causes`. */
export function failureCountText({ failures }: Pick<ExplorationFindings, 'failures'>): string {
  const count = failures.reduce((sum, { also }) => sum + 1 + also.length, 0);
  const causes = failures.length === 1 ? '1 cause' : `${failures.length} causes`;
  return `${count} ${count === 1 ? 'failure' : 'failures'} of ${causes}`;
}

/** The maximum number of runs that a line names. */
const mostNamed = 5;

function testFailsLines({ testFails }: ExplorationFindings): string[] {
  if (testFails.length === 0) return [];
  const names = testFails.slice(0, mostNamed).map(({ schedule }) => scheduleText(schedule));
  const more = testFails.length > mostNamed ? `, and ${testFails.length - mostNamed} more` : '';
  return [`your test fails, but the money is right, with ${names.join(', ')}${more}`];
}

/** Returns the line that says how many runs were made, and for what purpose. */
function runsLine({ explored, replays }: Exploration): string {
  const more = replays === 0 ? '' : `, and ${replays} to repeat failures`;
  return `runs     ${2 + explored.length + replays}: 2 without faults, ${explored.length} with faults${more}`;
}

/**
 * Returns the line that says how long the point of sale waits for an answer before it hangs up. Returns no line if no
 * run held an answer back.
 */
export function hangUpTimeLines(explored: readonly ExploredSchedule[]): string[] {
  const held = explored.find(({ run }) =>
    run.entries.some(({ kind, data }) => kind === 'fault.injected' && data.fault === 'holdAnswer'),
  );
  if (!held) return [];
  const { hungUpAfterMs } = held.run;
  return hungUpAfterMs === undefined
    ? ['your point of sale waits longer than 200 s for an answer']
    : [`your point of sale hangs up after ${(hungUpAfterMs / 1_000).toFixed(1)} s without an answer`];
}

async function failureLines(
  { shown, also, cause }: FailureGroup,
  { paint, again, trace: write, withOutput = true }: TextOptions,
): Promise<string[]> {
  const text = scheduleText(shown.schedule);
  const others = [...new Set(also.map(({ schedule }) => scheduleText(schedule)))].join(', ');
  const trace = await write(shown).catch((error: Error) => `not written: ${error.message}`);
  return [
    `${paint.bad('✗')} ${shown.verdict.says}`,
    `    when   ${describeSchedule(shown.schedule)}${others === '' ? '' : `     (also: ${others})`}`,
    ...cause.lines.map((line, index) => `    ${index === 0 ? 'cause ' : '      '} ${line}`),
    `    mend   ${cause.mend}`,
    `    trace  ${trace}`,
    `    again  ${again(text)}`,
    ...(withOutput ? outputLines(shown, paint) : []),
  ];
}

function outputLines({ run }: ExploredSchedule, paint: Paint): string[] {
  return run.output.length === 0
    ? []
    : [paint.faint('    its output'), ...run.output.map((line) => paint.faint(`      ${line}`))];
}

function coveredText({ covered }: ExplorationFindings): string {
  return covered
    .map(({ group, tried, of, why }) => `${group} ${tried}/${of}${why === undefined ? '' : ` (${why})`}`)
    .join(' · ');
}
