import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { aimText, type Figure, figureVerdict, valueText } from './figure.ts';

const file = join(import.meta.dirname, 'notes/history.md');
const title = `# Benchmark history

\`npm run bench\` adds each run at the end of this page. Only ratios can be compared between machines, and on a shared machine
differences below 0.05 are noise. The relay is the yardstick: Express, one WebSocket hop, an answer of the same size, no
logic and no store (bench/targets/relay-gateway.ts). For charges and refunds, which need no terminal, the yardstick is Express alone.
`;

/** Adds the figures of one run to the page with all runs. */
export function appendHistory(figures: readonly Figure[], on: string): void {
  if (!existsSync(file)) writeFileSync(file, title);
  const rows = figures.map(
    (figure) =>
      `| ${figure.name} | ${valueText(figure)} ${figure.unit} | ${aimText(figure)} | ${figureVerdict(figure)} |`,
  );
  appendFileSync(
    file,
    `\n## ${new Date().toISOString().slice(0, 16).replace('T', ' ')} · ${revision()} · ${on}\n\n` +
      `| | | aim | |\n|---|---|---|---|\n${rows.join('\n')}\n`,
  );
}

function revision(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname })
      .toString()
      .trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : '');
  } catch {
    return 'no revision';
  }
}

/** Describes the machine and how busy it is with other work, so that readers can judge the numbers. */
export function machineText(): string {
  const cores = cpus();
  const load = loadavg()[0]?.toFixed(1);
  return `${cores.length} × ${cores[0]?.model.trim() || process.arch}, load ${load}, Node ${process.versions.node}`;
}
