import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveConfig, startStack, writeRunningNote } from '../../stack/index.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly } from '../optional-programs.ts';
import { exploreCommand } from './exploring.ts';

const testInCi = testThoroughly();

/**
 * Checks that `pinpad explore --as adyen` leads a point of sale that calls Adyen's hosts to the gateway of each run
 * (B470).
 */

const program = join(import.meta.dirname, 'drivers/adyen-till.cjs');
const till = (how: string, then = 'keeps') => [process.execPath, program, how, then];
const careful = till('careful');
const naive = till('takes-errors-for-no');
const calling = `require('https').get('https://terminal-api-test.adyen.com', { ca: require('tls').rootCertificates[0] }).on('error', () => {})`;
const distrusting = [process.execPath, '-e', calling];
const own = { ADYEN_API_KEY: '{token}', POIID: '{poiId}' };
const ownFlags = Object.entries(own).flatMap(([name, text]) => ['--env', `${name}=${text}`]);
const minutes = { timeout: 300_000 };

const led = (how: string, only: readonly string[], then?: string) =>
  exploreCommand({
    ...{ as: 'adyen', command: till(how, then), shopper: 'visa-credit', only },
    env: { ...own, TILL_POLL: '0.2' },
  });

const lost = 'dropAnswer@adyen-payment.1';
const refused = 'failAnswer-503@adyen-payment.1';

describe("a point of sale for Adyen's terminals", () => {
  test.each(
    sampleCases(
      [
        [
          'new-service-id',
          lost,
          'chargedTwice',
          /the customer paid twice: sale till-1 order-\w+ was requested again with a new one, the ServiceID/,
        ],
        [
          'takes-errors-for-no',
          refused,
          'paidBelievedUnpaid',
          /\(lint unknown-outcome\)\nafter the 503 to adyen-payment your program never asked again/,
        ],
      ],
      2,
    ),
  )('that is %s is found at %s', minutes, async (mistake, only, verdict, cause) => {
    const { failed, findings, story } = await led(mistake, [only]);
    expect(failed, story).toEqual({ [only]: verdict });
    expect(findings.failures[0]?.cause.lines.join('\n')).toMatch(cause);
  });

  testInCi.each([
    ['reverses', 'adyen-reversal', 'a reversal of 5'],
    ['refunds', 'adyen-refund', 'a refund of 5'],
  ])(
    'that gives back again with a new ServiceID is found if it %s (B515)',
    minutes,
    async (then, moment, what) => {
      const only = `dropAnswer@${moment}.1`;
      const { failed, findings, story } = await led('gives-back-again', [only], then);
      expect(failed, story).toEqual({ [only]: 'refundedTwice' });
      const [{ shown, cause } = {}] = findings.failures;
      expect(shown?.verdict.says).toBe('The customer was refunded 10 instead of 5');
      expect(cause?.lines.join('\n')).toContain(
        `the customer was refunded twice: ${what} was requested again with a new one, the ServiceID`,
      );
    },
  );

  testInCi.each(['reverses', 'refunds'])(
    'that gives back carefully survives: it %s (B515)',
    minutes,
    async (then) => {
      const moment = then === 'reverses' ? 'adyen-reversal' : 'adyen-refund';
      const faults = ['dropAnswer', 'failAnswer-503', 'delayRequest-3s', 'duplicateRequest'];
      const only = sampleCases(faults, 3).map((fault) => `${fault}@${moment}.1`);
      const { failed, findings, story } = await led('careful', only, then);
      expect(failed, story).toEqual({});
      expect(findings.survived, story).toHaveLength(only.length);
    },
  );

  testInCi('that crashes is led to pinpad again when it restarts', minutes, async () => {
    const TILL_FOLDER = aFolder();
    const { failed, findings, story } = await exploreCommand({
      ...{ as: 'adyen', command: careful, shopper: 'visa-credit', restart: careful.join(' ') },
      ...{ only: ['killAfter@adyen-payment.1'], env: { ...own, TILL_FOLDER } },
    });
    expect(failed, story).toEqual({});
    const [{ run } = {}] = findings.survived;
    expect(run?.requests.map(({ point, key }) => [point, key])).toEqual([
      ['adyen-payment', 'new'],
      ['adyen-payment', 1],
    ]);
  });

  testInCi('that is careful survives', minutes, async () => {
    const more = ['delayRequest-3s@adyen-payment.1', 'decline@host.1', 'crash@after.concluded.1'];
    const only = sampleCases([lost, ...more, refused], 2);
    const { failed, findings, story } = await led('careful', only);
    expect(failed, story).toEqual({});
    expect(findings.survived, story).toHaveLength(only.length);
  });
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-adyen-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function pinpadExplores(command: readonly string[], ...flags: readonly string[]) {
  const traces = join(aFolder(), 'traces');
  return runPinpadInProcess(['explore', '--as', 'adyen', '--traces', traces, ...flags, '--', ...command]);
}

/** Starts a gateway with terminals that answer at once. */
async function aGateway(adyen: boolean) {
  const folder = aFolder();
  const options = { adyen, port: 0, memory: true, pacing: 'instant', logLevel: 'silent' } as const;
  const stack = await startStack(resolveConfig(undefined, options));
  onTestFinished(() => stack.close());
  const { url, controlToken, terminals } = stack;
  const token = stack.tokens[0]?.token ?? '';
  writeRunningNote(folder, { url, pid: process.pid, controlToken, token, terminals: [...terminals] });
  return ['--gateway', '--data', folder, '--shopper', 'visa-credit'];
}

describe('pinpad explore --as adyen', () => {
  testInCi('leads to a running gateway, and shows how to see a failure again', minutes, async () => {
    const at = await aGateway(true);
    const { code, stdout } = await pinpadExplores(naive, ...[...at, ...ownFlags, '--only', refused]);
    expect(stdout).toContain('The customer paid 12.5, but your point of sale believes "not paid"');
    expect(stdout).toContain(`pinpad explore --only ${refused} --as adyen --shopper visa-credit`);
    expect(code).toBe(1);
  });

  test('says that the gateway has to have this API switched on', async () => {
    const at = await aGateway(false);
    const { code, stderr } = await pinpadExplores(naive, ...at, ...ownFlags);
    expect(stderr).toContain('start the gateway with "pinpad up --as adyen"');
    expect(code).toBe(2);
  });

  test.each([
    ['a wrong key', naive, /sent a wrong API key .*\n.*ADYEN_API_KEY=\{token\}/],
    ['a certificate that is not believed', distrusting, /ended its connections without a request/],
    [
      'nothing was called',
      ['true'],
      /no request of the command reached pinpad, and the command ended with 0\. If the command sent a request, the vendor itself got/,
    ],
  ])('says why nothing was received (B471): %s', async (_, command, says) => {
    const { code, stderr } = await pinpadExplores(command, '--env', 'ADYEN_API_KEY=test_other');
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});
