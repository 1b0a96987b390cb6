import type { CommitResult } from '../../shared/database/change.ts';
import type { Change } from '../store/schema.ts';

export type RefusedCommit = Extract<CommitResult, { is: 'refused' }>;

/** Decides whether this gateway handles the inputs of a key, or another gateway of the same database. */
export interface Partition<Input, Step> {
  /** Makes this gateway the owner of the key, if the input requires that. */
  claim(key: string, input: Input): Promise<void> | undefined;
  isOurs(key: string): boolean;
  /** Handles an input for a key that another gateway owns. */
  elsewhere(key: string, input: Input): Promise<Step>;
  /**
   * Gives changes to add to a step's batch. Because of these changes, the database refuses the batch if another gateway
   * owns the key by then.
   */
  guard(key: string, step: Step): readonly Change[];
  /** Reads what another gateway stored for a key of this gateway, and handles it. */
  adopt(key: string): Promise<void>;
  /** Updates memory after a batch was refused. Returns whether the same input must be decided again. */
  learn(key: string, refused: RefusedCommit, input: Input): boolean | Promise<boolean>;
}

/**
 * The partition of a lone gateway, which owns every key. If the database refuses a batch because a row has changed
 * since it was read, the input is decided again.
 */
export const loneGatewayPartition: Partition<unknown, never> = {
  claim: () => undefined,
  isOurs: () => true,
  elsewhere: () => Promise.reject(new Error('a gateway without other gateways owns every key')),
  guard: () => [],
  adopt: async () => {},
  learn: (_, { because }) => because === 'version',
};

/**
 * The partition for things on which every gateway may decide. If the database refuses a batch because of another
 * gateway's change or a constraint, the input is decided again.
 */
export const anyGatewayPartition: Partition<unknown, never> = {
  ...loneGatewayPartition,
  learn: (_, { because }) => because !== 'storage',
};
