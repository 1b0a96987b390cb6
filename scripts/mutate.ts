import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSeededRandom } from '../shared/random.ts';
import { applyMutation, type Mutation, mutationsOf } from './mutations.ts';
import { createRelatedTestsLookup } from './related-tests.ts';

const help = `Breaks the sources in small ways, one at a time, and reports the changes that no test notices. It works in a
copy of the project. It runs tests until one fails: first the tests that import the changed file, then the tests beside
that file, then the nearest tests.

  npm run mutate -- --seed 7 --count 50 [FOLDER_OR_FILE …]

  --seed S       the seed from which mutations are drawn (1); the same sources and seed give the same mutations
  --count N      the number of mutations (50)
  --from N       continues an interrupted run with its Nth mutation
  --nearest N    runs at most N test files for each mutation (by default all related files)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50' },
    from: { type: 'string', default: '1' },
    nearest: { type: 'string', default: 'Infinity' },
  },
});
if (values.help) {
  console.log(help);
  process.exit();
}
const places = positionals.length > 0 ? positionals : ['gateway', 'terminal-emulator', 'shared'];
/** The number of test files that run first. They detect most mutations. */
const firstFiles = 8;
/** The time limit of a test run. It is needed because a mutation may cause an endless loop. */
const limitMs = 15 * 60_000;

interface Place extends Mutation {
  path: string;
}

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '');
const sources = files.filter((path) => path.endsWith('.ts'));
const testsOf = createRelatedTestsLookup(root, sources);
const broken = new Set<string>();
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'pinpad-mutate-')));
try {
  for (const path of files) cpSync(join(root, path), join(copy, path));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const survivors: string[] = [];
  const chosen = drawn().slice(Number(values.from) - 1);
  for (const place of chosen) {
    const description = describe(place);
    const killer = await killerOf(place);
    console.log(killer === undefined ? `SURVIVED  ${description}` : `killed    ${description}  by ${killer}`);
    if (killer === undefined) survivors.push(description);
  }
  console.log(`\n${survivors.length} of ${chosen.length} survived (seed ${values.seed})`);
  for (const survivor of survivors) console.log(survivor);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Chooses `count` different mutations at random among all possible mutations. */
function drawn(): Place[] {
  const all = sources
    .filter((path) => places.some((place) => path === place || path.startsWith(`${place}/`)))
    .filter((path) => !/\.(test|fixture|testing)\.ts$/.test(path))
    .flatMap((path) =>
      mutationsOf(path, readFileSync(join(root, path), 'utf8')).map((mutation) => ({ path, ...mutation })),
    );
  const random = makeSeededRandom(Number(values.seed));
  const count = Math.min(Number(values.count), all.length);
  return Array.from({ length: count }, () => all.splice(random.int(all.length), 1)[0] as Place);
}

/**
 * Finds a test that detects the mutation. If a test fails even without the mutation, reports the test and does not use
 * it again.
 */
async function killerOf(place: Place): Promise<string | undefined> {
  const file = join(copy, place.path);
  const right = readFileSync(file, 'utf8');
  for (;;) {
    const tests = testsOf(place.path)
      .slice(0, Number(values.nearest))
      .filter((test) => !broken.has(test));
    writeFileSync(file, applyMutation(right, place));
    const found = (await failure(tests.slice(0, firstFiles))) ?? (await failure(tests.slice(firstFiles)));
    writeFileSync(file, right);
    if (found?.test === undefined) return found?.description;
    const anyway = await failure([found.test]);
    if (!anyway) return found.description;
    console.log(`left out  ${found.test}, because it fails on the unchanged sources too`);
    broken.add(found.test);
  }
}

interface Failure {
  /** The file of the test; absent if the failure belongs to no test. */
  test?: string;
  description: string;
}

/** Runs tests, and resolves to the first failure. */
async function failure(tests: readonly string[]): Promise<Failure | undefined> {
  if (tests.length === 0) return undefined;
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const args = [vitest, 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...tests];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { PINPAD_DRAWS: '1', ...process.env },
    stdio: 'ignore',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return undefined;
  if (code === null) return { description: `the limit of ${limitMs / 60_000} min` };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonReport;
  const failed = testResults.find(
    ({ status, assertionResults, message }) =>
      status === 'failed' && (message || assertionResults.some((each) => each.status === 'failed')),
  );
  if (!failed) return { description: 'an error outside the tests' };
  const test = relative(copy, failed.name);
  const title = failed.assertionResults.find(({ status }) => status === 'failed')?.fullName;
  return { test, description: title === undefined ? test : `${test}: ${title}` };
}

/** The fields of Vitest's report that this script reads. */
interface JsonReport {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

function describe({ path, start, before, after }: Place): string {
  const line = readFileSync(join(copy, path), 'utf8').slice(0, start).split('\n').length;
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 100);
  return `${path}:${line}  ${short(before)} → ${short(after) || '(nothing)'}`;
}
