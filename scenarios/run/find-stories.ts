import { globSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { StartError } from '../../shared/start-error.ts';
import { loadStories, type Story } from '../story/load-story.ts';
import { type Fault, StoryFault } from '../story/story-file.ts';

/** Files of steps that stories include are no stories, nor are those of what they compare with. */
const isStory = (file: string) => /\.ya?ml$/.test(file) && !/\.(steps|stored)\.ya?ml$/.test(file);

/**
 * The stories of files, folders and globs, in the order of their files' names.
 *
 * @throws StartError for a path where there is no story, StoryFault with every fault of every file
 */
export function findStories(paths: readonly string[]): Story[] {
  const files = [...new Set(paths.flatMap(storyFiles))];
  const faults: Fault[] = [];
  const stories = files.flatMap((file) => {
    try {
      return loadStories(file);
    } catch (error) {
      if (!(error instanceof StoryFault)) throw error;
      faults.push(...error.faults);
      return [];
    }
  });
  if (faults.length > 0) throw new StoryFault(faults);
  return stories;
}

function storyFiles(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  const found = stats?.isFile()
    ? [path]
    : globSync(stats?.isDirectory() ? join(path, '**/*.{yaml,yml}') : path).filter(isStory);
  if (found.length === 0) throw new StartError(`no stories in ${path}`);
  return found.map(readable).sort();
}

/** As one would type it from here, where it is below here. */
function readable(file: string): string {
  const path = relative('.', file);
  return (path.startsWith('..') ? resolve(file) : path).replaceAll(sep, '/');
}
