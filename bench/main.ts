import { parseArgs } from 'node:util';
import { aimText, type Figure, figureVerdict, isMet, valueText } from './figure.ts';
import { appendHistory, machineText } from './history.ts';
import type { BenchmarkPart } from './part.ts';
import { explorationPart } from './parts/explore.ts';
import { testFixturePart } from './parts/fixture.ts';
import { gatewaysPart } from './parts/gateways.ts';
import { lintPart } from './parts/lint.ts';
import { stateMachinePart as machinePart } from './parts/machine.ts';
import { memoryPart } from './parts/memory.ts';
import { scenarioRunsPart } from './parts/runs.ts';
import { salesPart } from './parts/sales.ts';
import { savedCardsPart } from './parts/saved-cards.ts';
import { startPart } from './parts/start.ts';
import { storedPaymentsPart } from './parts/stored.ts';
import { manyTerminalsPart } from './parts/terminals.ts';
import { throughputPart } from './parts/throughput.ts';
import { virtualTimePart } from './parts/virtual-time.ts';
import { watchersPart } from './parts/watchers.ts';
import { textTable } from './table.ts';

const parts: BenchmarkPart[] = [
  throughputPart,
  machinePart,
  savedCardsPart,
  manyTerminalsPart,
  memoryPart,
  startPart,
  virtualTimePart,
  storedPaymentsPart,
  salesPart,
  gatewaysPart,
  lintPart,
  explorationPart,
  testFixturePart,
  scenarioRunsPart,
  watchersPart,
];

const help = `Measures pinpad against a relay without logic, and against its aims.

  npm run bench                      every part
  npm run bench -- throughput start  these parts
${parts.map(({ name, summary }) => `    ${name.padEnd(14)} ${summary}`).join('\n')}

  --quick        few short rounds: shows that it works, not how fast it is; not kept in the history
  --million      a million stored payments in the part "stored", instead of 100 000
  --no-history   do not append to bench/notes/history.md`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    quick: { type: 'boolean', default: false },
    million: { type: 'boolean', default: false },
    history: { type: 'boolean', default: true },
  },
});

if (values.help) console.log(help);
else await bench();

async function bench(): Promise<void> {
  const unknown = positionals.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}\n\n${help}`);
  const chosen = positionals.length > 0 ? parts.filter((part) => positionals.includes(part.name)) : parts;
  const options = {
    quick: values.quick,
    stored: values.million ? 1_000_000 : values.quick ? 10_000 : 100_000,
    log: (text: string) => console.log(`${text}\n`),
  };
  // The machine's load is measured before the parts of the benchmark run, because these parts keep the machine busy.
  const on = machineText();
  console.log(`${on}\n`);
  const figures: Figure[] = [];
  for (const part of chosen) {
    console.log(`── ${part.name}: ${part.summary}\n`);
    figures.push(...(await part.run(options)));
  }
  print(figures);
  if (values.history && !values.quick) appendHistory(figures, on);
}

function print(figures: readonly Figure[]): void {
  console.log(
    textTable([
      ['', 'measured', '', 'to reach', ''],
      ...figures.map((figure) => [
        figure.name,
        valueText(figure),
        figure.unit,
        aimText(figure),
        figureVerdict(figure),
      ]),
    ]),
  );
  const aimed = figures.filter((figure) => figure.aim);
  console.log(`\n${aimed.filter(isMet).length} of ${aimed.length} aims met`);
}
