import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import type { FailureKind } from '../../explore/verdict/verdict.ts';
import { isThoroughRun } from '../draws.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { driverCommand, exploreCommand } from './exploring.ts';

/** Checks that `pinpad explore` finds, judges and names each planted bug of drivers/ (B303, B320). */

const test = testWith('python3');

interface Planted {
  readonly only: string;
  readonly shopper?: string;
  readonly restarts?: true;
  readonly env?: Readonly<Record<string, string>>;
  readonly verdict: FailureKind;
  /** Matches the cause that the report names. */
  readonly cause: RegExp;
}

/**
 * The driver waits this many seconds for a payment, both with the bug and without it, because a real minute is long for
 * a test.
 */
const env = { TILL_PATIENCE: '5' };
const lost = 'dropAnswer@payment-request.1';
/** A generous time limit, because a busy machine takes many times as long as an idle one. */
const minutes = { timeout: 300_000 };

const planted: Readonly<Record<string, Planted>> = {
  no_key: {
    only: lost,
    shopper: 'visa-credit',
    verdict: 'chargedTwice',
    cause: /the customer paid twice: sale order-\w+ was requested again with no key /,
  },
  new_key: {
    only: lost,
    shopper: 'visa-credit',
    verdict: 'chargedTwice',
    cause: /\(lint blind-payment-retry\)\nafter .*your program sent POST .*payment-request \(a new key\)/,
  },
  reused_key: {
    only: lost,
    shopper: 'visa-credit',
    verdict: 'believedPaidUnpaid',
    cause: /then POST .*payment-request \(the key of request 1\)/,
  },
  redirects: {
    only: 'slow@screens.1',
    shopper: 'credit-debit:ICC',
    verdict: 'paidBelievedUnpaid',
    cause:
      /after the 303 to payment-request your program followed the redirect to GET .*status|after the 202 to status \(the target of a redirect\) your program never asked again/,
  },
  gives_up: {
    only: 'holdAnswer@payment-request.1',
    shopper: 'visa-credit',
    env,
    verdict: 'paidBelievedUnpaid',
    cause:
      /\(lint unknown-outcome\)\nafter payment-request, on which your program hung up( after \d+ s)?, your program never asked again/,
  },
  forgets: {
    only: 'killAfter@payment-request.1',
    shopper: 'visa-credit',
    restarts: true,
    verdict: 'paidNeverLearnt',
    cause: /\(lint unknown-outcome\)\nafter .*your program never asked again/,
  },
  trusts_abort: {
    only: lost,
    shopper: 'visa-credit',
    verdict: 'paidBelievedUnpaid',
    cause: /\(lint unknown-outcome\)\nafter .*your program sent POST \/payment-requests\/abort/,
  },
  aborts_success: {
    only: lost,
    shopper: 'visa-credit',
    verdict: 'paidBelievedUnpaid',
    cause: /then POST \/payment-requests\/abort/,
  },
  reads_5xx: {
    only: 'failAnswer-503@payment-request.1',
    shopper: 'visa-credit',
    verdict: 'paidBelievedUnpaid',
    cause: /\(lint unknown-outcome\)\nafter the 503 to payment-request your program never asked again/,
  },
  not_found: {
    only: 'delayRequest-3s@payment-request.1',
    shopper: 'visa-credit',
    verdict: 'paidBelievedUnpaid',
    cause: /got a 404, and the POS did not ask again/,
  },
  blind_refund: {
    only: 'dropAnswer@refund.1',
    verdict: 'refundedTwice',
    cause: /a refund of 5 was sent again after .* without looking at the list of refunds first/,
  },
  doubled_event: {
    only: 'duplicateEvent@event.1',
    verdict: 'wrongTimes',
    cause:
      /your program acted 2 times on the event payments\.debits\.completed, although it was one event with one webhook-id/,
  },
};

describe.runIf(isThoroughRun)('a planted bug', () => {
  for (const [name, { only, restarts, verdict, cause, ...options }] of Object.entries(planted)) {
    test(`${name} is found, judged and named`, minutes, async () => {
      const [buggy, good] = [driverCommand(name), driverCommand(name, 'good')];
      const restart = (command: readonly string[]) => (restarts ? { restart: command.join(' ') } : {});
      const found = await exploreCommand({ command: buggy, only: [only], ...restart(buggy), ...options });
      expect(found.failed, found.story).toEqual({ [`${only}`]: verdict });
      expect(found.findings.failures[0]?.cause.lines.join('\n')).toMatch(cause);
      const mended = await exploreCommand({ command: good, only: [only], ...restart(good), ...options });
      expect(mended.failed, mended.story).toEqual({});
      expect(mended.findings.survived).toHaveLength(1);
    });
  }
});

testThoroughly('python3')(
  'a held answer that the point of sale does not know of keeps no run open (B323)',
  async () => {
    const only = ['dropAnswer@preauthorize.1'];
    const { failed, story } = await exploreCommand({ command: driverCommand('blind_refund', 'good'), only });
    expect(failed, story).toEqual({});
  },
);

/** None of the twelve planted bugs gets one of these verdicts. So these further bugs are planted to get them. */
describe.runIf(isThoroughRun)('a planted defect', () => {
  /** Starts a receiver that refuses every event until the test is over. */
  async function receiver(): Promise<string> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  test.each([
    [
      'leaves-unknown',
      'powerOff@start.1',
      'leftUnknown',
      'after the 303 to payment-request your program never asked again',
    ],
    ['fails', lost, 'commandFailed', 'your program sent GET /payment-requests/status'],
    [
      'hangs',
      'decline@host.1',
      'hangs',
      'your program got the same answers as in a run without a failure, and drew another conclusion',
    ],
    ['clogs', 'dropAnswer@refund.1', 'didNotSettle', 'your program sent POST /contact/'],
  ] as const)('%s at %s is judged as %s', minutes, async (defect, only, verdict, cause) => {
    const found = await exploreCommand({
      command: driverCommand('planted', defect),
      only: [only],
      ...(verdict === 'hangs' && { timeoutMs: 20_000 }),
      ...(verdict === 'didNotSettle'
        ? { env: { TILL_RECEIVER: await receiver() } }
        : { shopper: 'visa-credit' }),
    });
    expect(found.failed, found.story).toEqual({ [only]: verdict });
    expect(found.findings.failures[0]?.cause.lines.join('\n')).toContain(cause);
  });
});
