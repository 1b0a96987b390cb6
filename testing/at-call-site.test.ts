import { expect, test } from 'vitest';
import { startPinpad } from './start-pinpad.ts';

const firstFrame = (error: unknown) =>
  (error as Error).stack?.split('\n').find((line) => /^\s+at /.test(line));

test.each([
  ['an expectation', (pinpad) => pinpad.expect({ screen: 'pin' }, { within: 10 })],
  ['an action', (pinpad) => pinpad.terminal().tap('no-such-card')],
  ['a request', (pinpad) => pinpad.pos.pay({ amount: 5, terminal: 'nowhere' })],
  ['a missing terminal', async (pinpad) => pinpad.terminalId('nowhere')],
] satisfies [string, (pinpad: Awaited<ReturnType<typeof startPinpad>>) => Promise<unknown>][])(
  '%s that fails points at the line of the test',
  async (_what, failing) => {
    await using pinpad = await startPinpad({ patience: 0 });
    const error = await failing(pinpad).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(firstFrame(error)).toContain('at-call-site.test.ts');
  },
);
