import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { findScenarios } from '../run/find-scenarios.ts';
import { runScenario } from '../run/run-scenario.ts';
import { findCommonFolder, ScenarioTracer } from './trace-scenario.ts';

test('scenarios with the same file name and title, but other rows or seeds, have separate trace files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traces-'));
  try {
    const write = (name: string, text: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    };
    write('bar/sale.yaml', 'name: A Sale!\nsteps:\n  - pass: 1 s\n');
    write('shop/sale.yaml', 'name: A Sale!\nsteps:\n  - pass: 1 s\n');
    write('shop/sale-a.yaml', 'name: Sale\nsteps:\n  - pass: 1 s\n');
    write(
      'shop/tip.yaml',
      'name: <what>\nexamples: [{ what: 1.5 }, { what: "1,5" }]\nsteps:\n  - pass: 1 s\n',
    );
    const files: string[] = [];
    for (const scenario of findScenarios([folder]))
      for (const seed of [1, 2]) {
        const tracer = new ScenarioTracer();
        files.push(
          await tracer.write(
            await runScenario(scenario, tracer.traced({ seed })),
            join(folder, 'traces'),
            folder,
          ),
        );
      }
    expect(files.map((file) => relative(join(folder, 'traces'), file))).toEqual([
      ...['bar/sale.a-sale.1.html', 'bar/sale.a-sale.2.html'],
      ...['shop/sale-a.sale.1.html', 'shop/sale-a.sale.2.html'],
      ...['shop/sale.a-sale.1.html', 'shop/sale.a-sale.2.html'],
      ...['shop/tip.row-1.1-5.1.html', 'shop/tip.row-1.1-5.2.html'],
      ...['shop/tip.row-2.1-5.1.html', 'shop/tip.row-2.1-5.2.html'],
    ]);
    expect(files.every((file) => existsSync(file))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  [['sales/one.yaml', 'two.yaml'], '.'],
  [['/elsewhere/sales/one.yaml'], '/elsewhere/sales'],
  [['/elsewhere/sales/one.yaml', '/elsewhere/refunds/late/two.yaml'], '/elsewhere'],
  [['/elsewhere/one.yaml', 'two.yaml'], '/'],
])('the traces of %j lie in the same folders below %s', (files, folder) => {
  expect(findCommonFolder(files)).toBe(folder);
});
