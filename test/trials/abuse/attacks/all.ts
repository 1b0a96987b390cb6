import type { AttackTarget } from '../target.ts';
import { sendHostileForms } from './forms.ts';
import { sendHostileFrames } from './frames.ts';
import { sendNonHttpBytes } from './not-http.ts';
import { sendCardNumbersEverywhere } from './numbers-everywhere.ts';
import { sendSlowRequestHeads } from './slow-heads.ts';
import { sendUnauthorizedRequests } from './strangers.ts';
import { leaveAnswersUnread } from './unread.ts';
import { sendHostileUpgrades } from './upgrades.ts';

/** The attacks. Each of them runs until the time of its target is over. */
export const attacks: readonly ((target: AttackTarget) => Promise<void>)[] = [
  sendSlowRequestHeads,
  sendNonHttpBytes,
  sendHostileForms,
  sendHostileUpgrades,
  sendHostileFrames,
  leaveAnswersUnread,
  sendUnauthorizedRequests,
  sendCardNumbersEverywhere,
];
