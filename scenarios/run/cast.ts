import { Hand } from '../stage/hand.ts';
import { LinkVisitor } from '../stage/link-visitor.ts';
import { Pos } from '../stage/pos.ts';
import { Receivers } from '../stage/receivers.ts';
import type { SentKind } from '../stage/sent-request.ts';
import { type Stage, StageError } from '../stage/stage.ts';
import { World } from '../stage/world.ts';
import { type Values, valueAt } from '../story/placeholders.ts';
import type { Cast } from '../story/verb.ts';

/** Somebody for every side of a story. */
export function castOf(stage: Stage): Cast {
  const pos = new Pos(stage);
  const hands = new Map<string, Hand>();
  return {
    stage,
    pos,
    world: new World(stage),
    receivers: new Receivers(stage),
    customer: new LinkVisitor(stage),
    hand: (terminal) => {
      const { poiId } = stage.terminal(terminal);
      const hand = hands.get(poiId) ?? new Hand(stage, poiId);
      hands.set(poiId, hand);
      return hand;
    },
    sent: (name) => {
      const found = pos.sent.findLast((one) => one.name === name);
      if (found) return found;
      const names = pos.sent.flatMap((one) => one.name ?? []).join(', ') || 'none';
      throw new StageError(`no request is called ${name}; named so far: ${names}`);
    },
    latest: (...kinds: SentKind[]) => {
      const found = pos.sent.findLast(({ kind }) => kinds.length === 0 || kinds.includes(kind));
      if (found) return found;
      throw new StageError('no such request was sent yet');
    },
  };
}

/**
 * What placeholders stand for while a story is played: `<sale.id>` the payment's identifier, `<sale.key>`,
 * `<sale.answer.body.…>`, `<terminal.id>`, `<terminals.counter.poiId>`.
 */
export async function playValues({ stage, pos }: Cast): Promise<Values> {
  const known = new Map<string, unknown>();
  for (const request of pos.sent) {
    if (request.name === undefined) continue;
    known.set(request.name, { id: await request.payment(), key: request.key, answer: request.answer });
  }
  const terminals = Object.fromEntries(
    stage.backstage.terminals.map(({ name, poiId, identifier }) => [name, { id: identifier, poiId }]),
  );
  known.set('terminals', terminals);
  known.set('terminal', Object.values(terminals)[0]);
  return (dotted) => {
    const [root = '', ...path] = dotted.split('.');
    return valueAt(known.get(root), path);
  };
}
