import { groupScenariosByFolder, ownGroupTitle } from './groups.ts';

export interface ScenarioItem {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly tags: readonly string[];
  /** The reason why the scenario cannot be run. */
  readonly problem?: string;
}

interface ListProps {
  readonly scenarios: readonly ScenarioItem[];
  /**
   * The words in the search field. Only scenarios that contain these words are listed. While the field is not empty,
   * every group in the list is open.
   */
  readonly search: string;
  readonly onStart: (scenario: ScenarioItem) => void;
}

/**
 * The scenarios in groups. Only the groups of the user's own scenarios are open, because a list of two hundred
 * scenarios is too long.
 */
export function ScenarioList({ scenarios, search, onStart }: ListProps) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = scenarios.filter(({ name, file, tags }) => {
    const text = [name, file, ...tags].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <div class="scenario-list">
      {found.length === 0 && <p class="none">No scenario has all of these words.</p>}
      {groupScenariosByFolder(found).map(({ title, scenarios }) => (
        <details key={`${title} ${words.length > 0}`} open={title === ownGroupTitle || words.length > 0}>
          <summary>
            {title} <span class="none">{scenarios.length}</span>
          </summary>
          <ul>
            {scenarios.map((each) => (
              <li key={each.id}>
                <Listed scenario={each} onStart={onStart} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

function Listed({ scenario, onStart }: { scenario: ScenarioItem; onStart: ListProps['onStart'] }) {
  const { name, file, problem } = scenario;
  return problem === undefined ? (
    <button type="button" onClick={() => onStart(scenario)}>
      {name} <span class="none">{file}</span>
    </button>
  ) : (
    <p class="wrong-scenario">
      {file} <span class="problem">{problem}</span>
    </p>
  );
}
