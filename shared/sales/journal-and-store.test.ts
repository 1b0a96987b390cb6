import { expect, test } from 'vitest';
import { makeSeededRandom, type Random } from '../random.ts';
import { createSalesHarness, makeResultBody } from './sales.fixture.ts';
import { groupIntoSales } from './stored-attempts.ts';

const hour = 3_600_000;
const gaps = [1_000, 60_000, 5 * hour, 12 * hour - 61_000, 12 * hour, 12 * hour + 1, 13 * hour, 30 * hour];

type Pos = ReturnType<typeof createSalesHarness>;
interface Stored {
  readonly payment: string;
  readonly key: string | undefined;
  readonly acceptedAt: number;
  concludedAt: number | undefined;
}

/** A point of sale that uses the same reference for days. The store has rows about its payments. */
class Days {
  readonly pos: Pos = createSalesHarness();
  readonly rows: Stored[] = [];
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = makeSeededRandom(seed);
  }

  async pays(): Promise<void> {
    const { clock } = this.pos;
    const number = this.rows.length;
    const names = { key: this.#random.int(4) > 0 ? `k${number}` : undefined, reference: 'table-7' };
    const asked = this.pos.asks(names);
    await clock.advance(this.#random.int(2_000));
    const row: Stored = {
      payment: `p${String(number).padStart(3, '0')}`,
      key: names.key,
      acceptedAt: clock.now(),
      concludedAt: undefined,
    };
    this.pos.accepted(asked, row.payment, names);
    this.rows.push(row);
    if (this.#random.int(3) === 0) this.pos.hungUp(asked);
    await clock.advance(this.#random.int(400_000));
    this.pos.approved(row.payment);
    row.concludedAt = clock.now();
    this.pos.answered(asked, 200, makeResultBody(row.payment));
    if (this.#random.int(8) === 0) await clock.advance(60_000);
  }

  async waits(longest: number): Promise<void> {
    await this.pos.clock.advance(gaps[this.#random.int(Math.min(longest, gaps.length))] ?? 0);
  }
}

/** Returns a text for each sale, with the payments that belong to the sale. */
const grouped = (sales: readonly { payments: readonly string[] }[]) =>
  sales.map(({ payments }) => payments.join(' ')).sort();

test('a journal that reaches back far enough groups payments as the store does, even crowds (B401)', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const days = new Days(seed);
    const longest = seed % 3 === 0 ? 3 : gaps.length;
    for (let payments = 0; payments < 40; payments++) {
      await days.pays();
      await days.waits(payments > 30 ? gaps.length : longest);
    }
    const inJournal = days.pos.sales.list().map(({ attempts }) => ({
      payments: attempts.map(({ payment }) => payment),
    }));
    const inStore = groupIntoSales(days.rows).map(({ payments }) => ({
      payments: payments.map(({ payment }) => payment),
    }));
    expect(grouped(inJournal), `seed ${seed}`).toEqual(grouped(inStore));
  }
});
