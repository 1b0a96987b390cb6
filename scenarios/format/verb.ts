import type { z } from 'zod';
import type { LinkCustomer } from '../environment/link-customer.ts';
import type { Pos } from '../environment/pos.ts';
import type { Receivers } from '../environment/receivers.ts';
import type { ScenarioContext } from '../environment/scenario-context.ts';
import type { SentKind, SentRequest } from '../environment/sent-request.ts';
import type { TerminalActions } from '../environment/terminal-actions.ts';
import type { World } from '../environment/world.ts';
import type { StoredValues } from '../stored/stored-values.ts';

/** Who acts in a scenario, and in what environment. */
export interface Actors {
  readonly context: ScenarioContext;
  readonly pos: Pos;
  readonly world: World;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkCustomer;
  /** What the scenario's file stores beside it. */
  readonly stored?: StoredValues;
  /** The actions at that terminal; at the first one without a name. */
  actions(terminal?: string): TerminalActions;
  /** The request of that name. @throws ScenarioError where none is called so */
  sent(name: string): SentRequest;
  /** The latest request of these kinds. @throws ScenarioError where there is none */
  latest(...kinds: SentKind[]): SentRequest;
}

/** One thing a step can say. Its schema is the step as it stands in the file, the verb's own name among the fields. */
export interface Verb<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly schema: Schema;
  /** True where `- name` alone is a step. */
  readonly standsAlone: boolean;
  run(actors: Actors, step: z.infer<Schema>): Promise<unknown>;
}

/** Keeps the schema's type while the verb goes into a list. */
export function verb<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  run: (actors: Actors, step: z.infer<Schema>) => Promise<unknown>,
  { standsAlone = false }: { standsAlone?: boolean } = {},
): Verb {
  return { name, schema, standsAlone, run: run as Verb['run'] };
}
