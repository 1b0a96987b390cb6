import {
  configOfNeeds,
  connectExploredEnvironment,
  type ExploredGateway,
  type Needs,
  scenarioNeedsSchema as needsSchema,
  type RunningGateway,
  readWebhookNeeds,
  ScenarioError,
  setFaults,
  setUpRemoteEnvironment,
  startLocalEnvironment,
  type TestEnvironment,
  terminalNamesOf,
} from '../scenarios/index.ts';
import { explainIssue, plainErrorMap } from '../shared/plain-faults.ts';
import { watchForeignRequests } from '../shared/skipping/foreign-requests.ts';
import { withErrorsAtCallSite } from './at-call-site.ts';
import { readExploredGateway, refuseLateOptions } from './explored-gateway.ts';
import { Pinpad } from './pinpad.ts';
import { type Duration, durationInMs } from './test-time.ts';

/**
 * Everything that exists before the test begins. The fields are those of `needs` in a scenario. By default, there is a
 * shop with the currency EUR and one terminal.
 */
export interface PinpadOptions extends Needs {
  /** Whether the gateway keeps its data on disk while it runs. A test that restarts the gateway needs this option. */
  keepsData?: boolean;
  /**
   * Before a wait fails, a point of sale in another process may still act during this real time, in milliseconds or as
   * text. 2 s if absent.
   */
  patience?: Duration;
}

/** The real milliseconds that a point of sale has to react before virtual time moves on. */
const patienceMs = 40;

/**
 * Starts a gateway and terminals in this process, for one test. Time is virtual: it moves only when the test moves it,
 * or when a shopper waits for something that takes time. In a run of `pinpad explore`, uses the gateway of that run
 * (docs/explore.md).
 *
 * @throws ScenarioError if an option has a mistake; StartError if variables of an explore run are missing
 *
 * @example
 * const pinpad = await startPinpad();
 * const sale = await pinpad.pos.pay({ amount: 12.5 });
 * await pinpad.terminal().tap('visa-credit');
 * await pinpad.expect({ outcome: 'success' });
 * await pinpad.close();
 */
export async function startPinpad(options: PinpadOptions = {}): Promise<Pinpad> {
  const { keepsData, patience = '2 s', ...needs } = options;
  check(needs);
  const explored = readExploredGateway(process.env);
  if (explored) return attachExplored(explored, options);
  const environment = await startLocalEnvironment(configOfNeeds(needs, needs.seed ?? 1), {
    terminalNames: terminalNamesOf(needs),
    patienceMs,
    lastChanceMs: durationInMs(patience),
    keepsData,
  });
  const stop = watchForeignRequests(environment.url, environment.count);
  return setUp(new Pinpad(environment, { stop }), needs);
}

/** Uses the gateway of a run of `pinpad explore`, which sets PINPAD_EXPLORE_URL (B300). */
async function attachExplored(gateway: ExploredGateway, options: PinpadOptions): Promise<Pinpad> {
  refuseLateOptions(options);
  return attached(await connectExploredEnvironment(gateway), options);
}

/**
 * Uses a gateway that runs elsewhere, in real time. The test gets its own account, store and terminals at this gateway.
 *
 * @throws ScenarioError if `needs` has a mistake, or if the gateway does not answer; ApiError if the gateway refuses
 * the set-up
 *
 * @example
 * const gateway = { url: 'http://127.0.0.1:8080', controlToken: 'control_…' };
 * const pinpad = await attachPinpad(gateway, { currency: 'CAD' });
 */
export async function attachPinpad(gateway: RunningGateway, needs: Needs = {}): Promise<Pinpad> {
  check(needs);
  return attached(await setUpRemoteEnvironment(gateway, needs), needs);
}

async function attached(environment: TestEnvironment, needs: Needs): Promise<Pinpad> {
  const before = await environment.journalSince(0);
  return setUp(new Pinpad(environment, { firstSeq: before.at(-1)?.seq ?? 0 }), needs);
}

async function setUp(pinpad: Pinpad, needs: Needs): Promise<Pinpad> {
  await pinpad.shows('idle');
  for (const wish of readWebhookNeeds(needs)) await pinpad.webhooks.open(wish);
  await setFaults({ world: pinpad.world, receivers: pinpad.webhooks }, needs.faults);
  await Pinpad.isSetUp(pinpad);
  return withErrorsAtCallSite(pinpad);
}

/**
 * @throws ScenarioError with a message of one line if the options have a mistake. This check is needed for mistakes
 * that the types do not show, and for tests without type checks.
 */
function check(needs: Needs): void {
  const { success, error } = needsSchema.safeParse(needs, { error: plainErrorMap });
  if (!success) throw new ScenarioError(error.issues.map(explainIssue).join('; '));
}
