import { createSalesHarness } from '../sales/sales.fixture.ts';
import type { Finding } from './finding.ts';
import { lintJournal } from './lint-journal.ts';
import { LiveLint } from './live-lint.ts';

/** A journal that is judged entry by entry. */
export function createLintHarness() {
  const pos = createSalesHarness();
  const { journal, clock } = pos;
  const lint = new LiveLint();
  const judge = (until: number, inTime: boolean): void => {
    lint.judge({ until, realUntil: Number.POSITIVE_INFINITY }, inTime);
  };
  journal.listen((entry) => {
    lint.take(entry);
    if (lint.isDue) judge(clock.now(), false);
  });
  return {
    pos,
    lost: (request: ReturnType<typeof pos.asks>, fault = 'dropRequest') =>
      journal.add('fault.injected', { fault, ...request }),
    status: (key: string) => pos.received(`/payment-requests/status?idempotencyKey=${key}`),
    /** Judges the requests whose point of sale has had enough time to act by now. */
    look: () => judge(clock.now(), true),
    /** The findings of {@link LiveLint}, when the point of sale has finished. */
    found(): Finding[] {
      judge(Number.POSITIVE_INFINITY, true);
      return lint.findings();
    },
    foundAfterwards: () => lintJournal(journal.since()),
  };
}
