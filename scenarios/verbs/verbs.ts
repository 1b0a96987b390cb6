import { customerVerbs } from './customer.ts';
import { expectVerbs } from './expect.ts';
import { faultVerbs } from './faults.ts';
import { givingBackVerbs } from './giving-back.ts';
import { posVerbs } from './pos.ts';
import { savedCardVerbs } from './saved-cards.ts';
import { shopperVerbs } from './shopper.ts';
import type { Verb } from './verb.ts';
import { webhookVerbs } from './webhooks.ts';
import { worldVerbs } from './world.ts';

/** Every verb a step can have, by name. */
export const verbs: ReadonlyMap<string, Verb> = new Map(
  [
    ...posVerbs,
    ...savedCardVerbs,
    ...givingBackVerbs,
    ...shopperVerbs,
    ...customerVerbs,
    ...worldVerbs,
    ...faultVerbs,
    ...webhookVerbs,
    ...expectVerbs,
  ].map((one) => [one.name, one]),
);
