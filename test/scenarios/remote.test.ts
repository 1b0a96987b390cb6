import { expect, onTestFinished, test, vi } from 'vitest';
import { createControlClient } from '../../client/control-client.ts';
import { findScenarios, runScenarioRemotely, setUpRemoteEnvironment } from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { attachPinpad } from '../../testing/index.ts';
import { noteOpenServers } from '../open-servers.ts';
import { testThoroughly } from '../optional-programs.ts';
import { until } from '../until.ts';

const testInCi = testThoroughly();

/**
 * Runs scenarios and tests in real time, with a gateway that runs elsewhere. They do not touch what other users do
 * at that gateway.
 */

const scenarios = findScenarios([
  'scenarios/library/paying',
  'scenarios/library/limits',
  'scenarios/library/outcomes',
  'scenarios/library/webhooks',
  'scenarios/library/links',
  'scenarios/library/recovery',
]);
const scenarioCalled = (name: string) => {
  const found = scenarios.find((scenario) => scenario.file.endsWith(`${name}.yaml`));
  if (!found) throw new Error(`there is no scenario ${name}`);
  return found;
};

testInCi('scenarios that run side by side have separate customers, webhooks, links and faults', async () => {
  const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, logLevel: 'silent' }));
  try {
    const names = [
      ...['webhooks/forged', 'webhooks/twice', 'links/claimed'],
      ...['recovery/answer-dropped', 'recovery/request-dropped'],
    ];
    const results = await Promise.all(
      [...names, ...names].map((name) => runScenarioRemotely(scenarioCalled(name), stack)),
    );
    expect(results.map(({ verdict, failure }) => failure?.message ?? verdict)).toEqual(
      results.map(() => 'passed'),
    );
    expect(stack.gateway.webhooks.list()).toEqual([]);
    const far = await runScenarioRemotely(scenarioCalled('webhooks/twice'), {
      url: 'http://gateway.example:8080',
      controlToken: stack.controlToken,
    });
    expect(far.reason).toBe("the gateway's webhooks cannot reach this machine");
  } finally {
    await stack.close();
  }
});

test('a scenario runs in real time if possible, and otherwise says why not', async () => {
  const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, logLevel: 'silent' }));
  try {
    const results = await Promise.all(
      [
        'paying/chip-and-pin',
        'paying/two-terminals',
        'outcomes/inserted-card',
        'limits/no-pin-for-60-seconds',
      ].map((name) => runScenarioRemotely(scenarioCalled(name), stack)),
    );
    expect(results.map(({ verdict, failure }) => failure?.message ?? verdict)).toEqual([
      'passed',
      'passed',
      'passed',
      'skipped',
    ]);
    expect(results[3]?.reason).toBe('needs virtual time, because 60 s pass');
    const pinpad = await attachPinpad(stack, { currency: 'JPY' });
    const sale = await pinpad.pos.pay({ amount: 500 });
    await pinpad.terminal().tap('phone');
    await pinpad.expect({ outcome: 'success' }, { of: sale });
    await pinpad.close();
  } finally {
    await stack.close();
  }
});

test('if an environment cannot be set up, its terminals are switched off and deleted', async () => {
  const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, logLevel: 'silent' }));
  onTestFinished(() => stack.close());
  const control = createControlClient({ url: stack.url, token: stack.controlToken });
  const poiIds = async () => (await control.GET('/control/terminals')).map(({ poiId }) => poiId);
  const before: readonly string[] = await poiIds();
  const { fetch } = globalThis;
  const refusing = vi.spyOn(globalThis, 'fetch').mockImplementation(async (request, options) => {
    const answer = await fetch(request, options);
    if (!(request instanceof Request && request.url.includes('/screen'))) return answer;
    return Response.json({ error: 'unavailable', message: 'the screen is lost' }, { status: 503 });
  });
  onTestFinished(() => refusing.mockRestore());
  await expect(setUpRemoteEnvironment(stack)).rejects.toThrow('the screen is lost');
  expect(await poiIds()).toEqual(before);
  const isClosed = ({ kind, terminal = '' }: JournalEntry) =>
    kind === 'link.closed' && !before.includes(terminal);
  await until('the links of the terminals are closed', () => stack.runtime.journal.since(0).some(isClosed));
});

test('a scenario whose gateway ends fails at its step, and closes its receivers', async () => {
  const serversClosed = noteOpenServers();
  const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, logLevel: 'silent' }));
  const result = await runScenarioRemotely(scenarioCalled('webhooks/twice'), stack, {
    onStep: () => stack.close(),
  });
  expect(result).toMatchObject({ verdict: 'failed', failure: { step: 'charge: 10' } });
  await serversClosed();
});
