import type { CommitResult } from '../../shared/database/change.ts';
import type { RowChange } from '../store/schema.ts';

export type RefusedCommit = Extract<CommitResult, { is: 'refused' }>;

/** Decides whether this gateway or another gateway of the same database handles the inputs of a key. */
export interface KeyPartition<Input, Step> {
  /** Makes this gateway the owner of the key, if the input requires that. */
  claim(key: string, input: Input): Promise<void> | undefined;
  isOurs(key: string): boolean;
  /** Handles an input for a key that another gateway owns. */
  elsewhere(key: string, input: Input): Promise<Step>;
  /**
   * Gives changes to add to the batch of writes that stores a step. With these changes in the batch, the database
   * refuses the batch if another gateway owns the key when the batch is stored.
   */
  guard(key: string, step: Step): readonly RowChange[];
  /** Reads what another gateway stored for a key of this gateway, and continues with it. */
  adopt(key: string): Promise<void>;
  /**
   * Updates memory after the database refused a batch of writes. Returns whether the engine must decide on the same
   * input again.
   */
  learn(key: string, refused: RefusedCommit, input: Input): boolean | Promise<boolean>;
}

/**
 * The partition of a lone gateway, which owns every key. If the database refuses a batch of writes because a row has
 * changed since it was read, the engine decides on the input again.
 */
export const loneGatewayPartition: KeyPartition<unknown, never> = {
  claim: () => undefined,
  isOurs: () => true,
  elsewhere: () =>
    Promise.reject(new Error('a lone gateway owns every key, so no other gateway can own a key')),
  guard: () => [],
  adopt: async () => {},
  learn: (_, { because }) => because === 'version',
};

/**
 * The partition for things on which every gateway may decide. If the database refuses a batch of writes because of a
 * constraint or another gateway's change, the engine decides on the input again.
 */
export const anyGatewayPartition: KeyPartition<unknown, never> = {
  ...loneGatewayPartition,
  learn: (_, { because }) => because !== 'storage',
};
