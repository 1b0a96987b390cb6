import type { Target } from '../target.ts';
import { forms } from './forms.ts';
import { linkFrames } from './frames.ts';
import { notHttp } from './not-http.ts';
import { numbersEverywhere } from './numbers-everywhere.ts';
import { slowHeads } from './slow-heads.ts';
import { strangers } from './strangers.ts';
import { unread } from './unread.ts';
import { upgrades } from './upgrades.ts';

/** The attacks. Each of them runs until the time of its target is over. */
export const attacks: readonly ((target: Target) => Promise<void>)[] = [
  slowHeads,
  notHttp,
  forms,
  upgrades,
  linkFrames,
  unread,
  strangers,
  numbersEverywhere,
];
