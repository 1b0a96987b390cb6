import { loadStories, stepsOf } from '../story/load-story.ts';
import { placeholdersIn } from '../story/placeholders.ts';
import { storedName } from './stored-values.ts';

/** The names that the stories of a file compare with, in every row; undefined where some are known only in the play. */
export function usedNames(storyFile: string): string[] | undefined {
  const steps = loadStories(storyFile).flatMap((story) => stepsOf(story.steps));
  const names = steps.flatMap((step) => ('fields' in step ? namesIn(step.fields) : []));
  return placeholdersIn(names).length > 0 ? undefined : names;
}

function namesIn(wish: unknown): string[] {
  if (!wish || typeof wish !== 'object') return [];
  const name = storedName(wish);
  return name === undefined ? Object.values(wish).flatMap(namesIn) : [name];
}
