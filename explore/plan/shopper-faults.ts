import type { AutomaticShopperSettings } from '../../shared/emulator/frames.ts';
import { StartError } from '../../shared/start-error.ts';
import type { FaultEnvironment, FaultKind } from './fault-kind.ts';
import type { PlannedFault } from './schedule.ts';

/** The screens that wait for the shopper, each with the name of its time limit (B40). */
const limitOf: Readonly<Record<string, 'cardMs' | 'promptMs'>> = {
  presentCard: 'cardMs',
  insertInstead: 'cardMs',
  swipeInstead: 'cardMs',
  chipUnreadable: 'cardMs',
  tip: 'promptMs',
  customTip: 'promptMs',
  applicationChoice: 'promptMs',
  pin: 'promptMs',
};
/** The screens during which the card is in the slot, so that the shopper can pull it out. */
const cardInside = ['readingCard', 'applicationChoice', 'pin', 'pinWrong', 'authorizing'];
const marginMs = 1_000;

/** The name of a fault's moment if the fault applies to every screen of the payment. */
const everyScreen = 'screens';

function shopper(
  kind: string,
  names: (moment: string) => readonly string[],
  says: string,
  doing: (environment: FaultEnvironment, moment: string) => Partial<AutomaticShopperSettings>,
): FaultKind {
  return {
    kind,
    group: 'shopper',
    fits: (moment) => names(moment).length > 0,
    appliesAt: names,
    says: () => says,
    arm: async (environment, planned) => setShopper(environment, planned, doing(environment, planned.moment)),
  };
}

async function setShopper(
  { control, terminal, shopper }: FaultEnvironment,
  { fault, moment, nth }: PlannedFault,
  doing: Partial<AutomaticShopperSettings>,
) {
  if (!shopper)
    throw new StartError(
      `${fault}@${moment}.${nth} needs --shopper, because without it the command presents the cards itself`,
    );
  const params = { path: { terminalId: terminal } };
  await control.PUT('/control/terminals/{terminalId}/shopper', {
    params,
    body: { ...shopper, ...doing },
  });
}

const waiting = (moment: string, ms: number): NonNullable<AutomaticShopperSettings['at']> => ({
  [moment]: { does: 'waits', ms },
});
const limit = ({ limits }: FaultEnvironment, moment: string) => limits[limitOf[moment] ?? 'promptMs'];

/** Faults of a shopper at the terminal. */
export const shopperFaults: readonly FaultKind[] = [
  shopper(
    'leaves',
    (moment) => (limitOf[moment] ? ['leaves'] : []),
    'the shopper leaves',
    (_, moment) => ({ at: { [moment]: { does: 'leaves' } } }),
  ),
  shopper(
    'wrongPins',
    (moment) => (moment === 'pin' ? ['wrongPins'] : []),
    'the shopper types three wrong PINs',
    () => ({ pin: '9999' }),
  ),
  shopper(
    'pullsCard',
    (moment) => (cardInside.includes(moment) ? ['pullsCard'] : []),
    'the shopper pulls the card out',
    (_, moment) => ({ at: { [moment]: { does: 'pullsCard' } } }),
  ),
  shopper(
    'slow',
    (moment) => (moment === everyScreen ? ['slow'] : []),
    "the shopper answers each screen one second before the screen's timeout",
    (environment) => ({
      at: Object.assign(
        {},
        ...Object.keys(limitOf).map((each) => waiting(each, limit(environment, each) - marginMs)),
      ),
    }),
  ),
  shopper(
    'tooSlow',
    (moment) => (limitOf[moment] ? ['tooSlow'] : []),
    'the shopper answers one second after the timeout of the screen',
    (environment, moment) => ({ at: waiting(moment, limit(environment, moment) + marginMs) }),
  ),
];
