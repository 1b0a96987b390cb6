import type { z } from 'zod';
import type { Hand } from '../stage/hand.ts';
import type { LinkVisitor } from '../stage/link-visitor.ts';
import type { Pos } from '../stage/pos.ts';
import type { Receivers } from '../stage/receivers.ts';
import type { SentKind, SentRequest } from '../stage/sent-request.ts';
import type { Stage } from '../stage/stage.ts';
import type { World } from '../stage/world.ts';
import type { StoredValues } from '../stored/stored-values.ts';

/** Who plays a story, and on what stage. */
export interface Cast {
  readonly stage: Stage;
  readonly pos: Pos;
  readonly world: World;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkVisitor;
  /** What the story's file stores beside it. */
  readonly stored?: StoredValues;
  /** The shopper's hand at that terminal; at the first one without a name. */
  hand(terminal?: string): Hand;
  /** The request of that name. @throws StageError where none is called so */
  sent(name: string): SentRequest;
  /** The latest request of these kinds. @throws StageError where there is none */
  latest(...kinds: SentKind[]): SentRequest;
}

/** One thing a step can say. Its schema is the step as it stands in the file, the verb's own name among the fields. */
export interface Verb<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly schema: Schema;
  /** True where `- name` alone is a step. */
  readonly standsAlone: boolean;
  play(cast: Cast, step: z.infer<Schema>): Promise<unknown>;
}

/** Keeps the schema's type while the verb goes into a list. */
export function verb<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  play: (cast: Cast, step: z.infer<Schema>) => Promise<unknown>,
  { standsAlone = false }: { standsAlone?: boolean } = {},
): Verb {
  return { name, schema, standsAlone, play: play as Verb['play'] };
}
