import type { CommitResult } from '../../shared/database/change.ts';
import type { Change } from '../store/schema.ts';

export type Refused = Extract<CommitResult, { is: 'refused' }>;

/** Says which gateway decides about a key, if several share a database. */
export interface Partition<Input, Step> {
  /** Makes the key this gateway's if the input wants that. */
  claim(key: string, input: Input): Promise<void> | undefined;
  isOurs(key: string): boolean;
  /** Takes an input for a key that is another gateway's. */
  elsewhere(key: string, input: Input): Promise<Step>;
  /** Gives the changes that tie a step's batch to the key: they refuse the batch if the key is another gateway's by then. */
  guard(key: string, step: Step): readonly Change[];
  /** Takes up what another gateway stored for a key of this one. */
  adopt(key: string): Promise<void>;
  /** Finds out what a refused batch did not know; gives whether the input is worth deciding again. */
  learn(key: string, refused: Refused, input: Input): boolean | Promise<boolean>;
}

/** A lone gateway: every key is its own. A row is not what a decision saw only if something else has changed it. */
export const alone: Partition<unknown, never> = {
  claim: () => undefined,
  isOurs: () => true,
  elsewhere: () => Promise.reject(new Error('a lone gateway has every key')),
  guard: () => [],
  adopt: async () => {},
  learn: (_, { because }) => because === 'version',
};

/** Any gateway decides about every key. It reads again what is on disk if a rule or another gateway's change refused the batch. */
export const anyGateway: Partition<unknown, never> = {
  ...alone,
  learn: (_, { because }) => because !== 'storage',
};
