import type { CommitResult } from '../../shared/database/change.ts';
import type { Change } from '../store/schema.ts';

export type Refused = Extract<CommitResult, { is: 'refused' }>;

/** Decides which gateway handles a key, if several share a database. */
export interface Partition<Input, Step> {
  /** Makes this gateway the owner of the key, if the input asks for that. */
  claim(key: string, input: Input): Promise<void> | undefined;
  isOurs(key: string): boolean;
  /** Takes an input for a key that another gateway owns. */
  elsewhere(key: string, input: Input): Promise<Step>;
  /** Gives the changes that make the database refuse a step's batch if another gateway owns the key by then. */
  guard(key: string, step: Step): readonly Change[];
  /** Takes up what another gateway stored for a key of this one. */
  adopt(key: string): Promise<void>;
  /** Learns from a refused batch. Gives whether the input should be decided again. */
  learn(key: string, refused: Refused, input: Input): boolean | Promise<boolean>;
}

/**
 * The partition of a lone gateway, which owns every key. A row differs from what a decision saw only if something else
 * has changed it.
 */
export const alone: Partition<unknown, never> = {
  claim: () => undefined,
  isOurs: () => true,
  elsewhere: () => Promise.reject(new Error('a lone gateway has every key')),
  guard: () => [],
  adopt: async () => {},
  learn: (_, { because }) => because === 'version',
};

/**
 * The partition if any gateway decides about every key. It reads again what is on disk if a rule or another gateway's
 * change refused the batch.
 */
export const anyGateway: Partition<unknown, never> = {
  ...alone,
  learn: (_, { because }) => because !== 'storage',
};
