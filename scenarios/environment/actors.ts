import { type ValueLookup, valueAt } from '../format/placeholders.ts';
import { LinkCustomer } from './link-customer.ts';
import { Pos } from './pos.ts';
import { Receivers } from './receivers.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';
import type { SentRequest, SentRequestKind } from './sent-request.ts';
import { ShopperActions } from './terminal-actions.ts';
import { World } from './world.ts';

/** The actors of a scenario, and its environment. */
export interface Actors {
  readonly context: ScenarioContext;
  readonly pos: Pos;
  readonly world: World;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkCustomer;
  /**
   * Returns the shopper's actions at a terminal. If no name is given, these are the actions at the first terminal.
   */
  actions(terminal?: string): ShopperActions;
  /** Returns the request with this name. @throws ScenarioError if no request has that name */
  sent(name: string): SentRequest;
  /** Returns the latest request of these kinds. @throws ScenarioError if there is no such request */
  latest(...kinds: SentRequestKind[]): SentRequest;
}

/** Makes the actors of a scenario. */
export function createActors(context: ScenarioContext): Actors {
  const pos = new Pos(context);
  const known = new Map<string, ShopperActions>();
  return {
    context,
    pos,
    world: new World(context),
    receivers: new Receivers(context),
    customer: new LinkCustomer(context),
    actions: (terminal) => {
      const { poiId } = context.terminal(terminal);
      const actions = known.get(poiId) ?? new ShopperActions(context, poiId);
      known.set(poiId, actions);
      return actions;
    },
    sent: (name) => {
      const found = pos.sent.findLast((one) => one.name === name);
      if (found) return found;
      const names = pos.sent.flatMap((one) => one.name ?? []).join(', ') || 'none';
      throw new ScenarioError(`unknown request ${name}; known requests: ${names}`);
    },
    latest: (...kinds: SentRequestKind[]) => {
      const found = pos.sent.findLast(({ kind }) => kinds.length === 0 || kinds.includes(kind));
      if (found) return found;
      throw new ScenarioError('no such request was sent yet');
    },
  };
}

/**
 * Returns the values of placeholders while a scenario runs: `<sale.id>` is the payment's identifier. Other examples
 * are `<sale.key>`, `<sale.answer.body.…>`, `<terminal.id>`, `<terminals.counter.poiId>`.
 */
export async function makePlaceholderLookup({ context, pos }: Actors): Promise<ValueLookup> {
  const known = new Map<string, unknown>();
  for (const request of pos.sent) {
    if (request.name === undefined) continue;
    known.set(request.name, { id: await request.payment(), key: request.key, answer: request.answer });
  }
  const terminals = Object.fromEntries(
    context.environment.terminals.map(({ name, poiId, identifier }) => [name, { id: identifier, poiId }]),
  );
  known.set('terminals', terminals);
  known.set('terminal', Object.values(terminals)[0]);
  return (dotted) => {
    const [root = '', ...path] = dotted.split('.');
    return valueAt(known.get(root), path);
  };
}
