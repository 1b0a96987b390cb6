import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { isThoroughRun } from '../draws.ts';
import { hasOlderRelease, olderFile } from '../older-release.ts';
import { testWith } from '../optional-programs.ts';
import { driverCommand, exploreCommand } from './exploring.ts';

/**
 * Explores the 21 points at which the prototype of `pinpad explore` found failures. The points were listed before the
 * search was written (B304).
 */

const test = testWith('python3');
const only = readFileSync(join(import.meta.dirname, 'prototype-points.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const atThePoints = { only, shopper: 'visa-credit:ICC:pin=1234' };
const minutes = { timeout: 300_000 };

describe.runIf(isThoroughRun)('at the 21 points of a payment', () => {
  test('a naive POS fails at five', minutes, async () => {
    const { failed, findings, story } = await exploreCommand({
      command: driverCommand('naive'),
      ...atThePoints,
    });
    expect(failed, story).toEqual({
      'dropAnswer@payment-request.1': 'chargedTwice',
      'dropAnswer@payment-request.all': 'chargedTwice',
      'failAnswer-500@payment-request.1': 'paidBelievedUnpaid',
      'failAnswer-503@payment-request.1': 'paidBelievedUnpaid',
      'failAnswer-503@payment-request.all': 'paidBelievedUnpaid',
    });
    expect(findings.survived).toHaveLength(16);
  });

  describe.runIf(hasOlderRelease())('the former examples/python', () => {
    test('fails at five, and once only its test fails', minutes, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pinpad-old-example-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      writeFileSync(join(folder, 'test_pos.py'), olderFile('examples/python/test_pos.py'));
      const command = driverCommand('old_example', folder);
      const { failed, findings, story } = await exploreCommand({ command, ...atThePoints });
      expect(failed, story).toEqual({
        'dropAnswer@payment-request.1': 'paidNeverLearnt',
        'dropAnswer@payment-request.all': 'paidNeverLearnt',
        'failAnswer-500@payment-request.1': 'paidBelievedUnpaid',
        'failAnswer-503@payment-request.1': 'paidBelievedUnpaid',
        'failAnswer-503@payment-request.all': 'paidBelievedUnpaid',
      });
      expect(findings.testFails.map(({ verdict }) => verdict.says)).toEqual([
        'Your test fails, but the money is right',
      ]);
      expect(findings.survived).toHaveLength(15);
    });
  });

  test('a careful POS fails at none', minutes, async () => {
    const { failed, findings, story } = await exploreCommand({
      command: driverCommand('careful'),
      ...atThePoints,
    });
    expect(failed, story).toEqual({});
    expect(findings.survived, story).toHaveLength(21);
  });
});
