/** Scenarios that belong together. */
interface Group<Scenario> {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
}

export const ownGroupTitle = 'Yours';

/**
 * The folders of the shipped scenarios, with titles. The folders that a newcomer tries first come before the folders
 * that users look for by name.
 */
const folders: Readonly<Record<string, string>> = {
  paying: 'Paying',
  tips: 'Tips',
  outcomes: 'Payments that fail',
  recovery: 'Lost answers and power cuts',
  limits: 'Limits of time and amount',
  refused: 'Requests that are refused',
  'saved-cards': 'Saved cards',
  refunds: 'Refunds',
  links: 'Payment links',
  webhooks: 'Webhooks',
  languages: 'Languages',
  adyen: "Adyen's Terminal API",
};

/**
 * Returns the groups of scenarios: first the recording and the user's own folder `scenarios/`, then each folder of the
 * shipped scenarios.
 */
export function groupScenariosByFolder<Scenario extends { readonly file: string }>(
  scenarios: readonly Scenario[],
): Group<Scenario>[] {
  const byTitle = Map.groupBy(scenarios, ({ file }) => titleOf(file));
  const order = [ownGroupTitle, ...Object.values(folders)];
  const others = [...byTitle.keys()].filter((title) => !order.includes(title)).sort();
  return [...order, ...others].flatMap((title) => {
    const found = byTitle.get(title);
    return found ? [{ title, scenarios: found }] : [];
  });
}

function titleOf(file: string): string {
  const [folder = '', ...rest] = file.split(/[/\\]/);
  return rest.length === 0 || folder === 'scenarios' ? ownGroupTitle : (folders[folder] ?? folder);
}
