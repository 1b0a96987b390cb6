import { expect, test } from 'vitest';
import { testThoroughly } from '../../test/optional-programs.ts';
import { makeSeededRandom, type Random } from '../random.ts';
import { makeResultBody } from '../sales/sales.fixture.ts';
import type { Finding } from './finding.ts';
import { createLintHarness } from './watched.fixture.ts';

const testInCi = testThoroughly();

type Watched = ReturnType<typeof createLintHarness>;

interface Tried {
  readonly request: ReturnType<Watched['pos']['asks']>;
  readonly key: string | undefined;
  readonly reference: string | undefined;
  payment: string | undefined;
  isOpen: boolean;
  isConcluded: boolean;
}

/** A point of sale, a customer and a network that act at random. */
class Chaos {
  readonly #random: Random;
  readonly #watched: Watched;
  readonly #tried: Tried[] = [];

  constructor(seed: number) {
    this.#random = makeSeededRandom(seed);
    this.#watched = createLintHarness();
  }

  #one<Thing>(of: readonly Thing[]): Thing | undefined {
    return of[this.#random.int(Math.max(1, of.length))];
  }

  play(steps: number): Watched {
    const does = [
      () => this.#asks(),
      () => this.#asks(),
      () => this.#comesLate(),
      () => this.#concludes(),
      () => this.#concludes(),
      () => this.#ends(),
      () => this.#ends(),
      () => this.#status(),
      () => this.#watched.pos.clock.advance(this.#random.int(90_000)),
      () => this.#watched.look(),
    ];
    for (let step = 0; step < steps; step++) this.#one(does)?.();
    // All open requests end here, because a request that has not ended yet is not judged.
    while (this.#tried.some(({ isOpen }) => isOpen)) this.#ends();
    return this.#watched;
  }

  #asks(): void {
    const reference = this.#one(['sale-1', 'sale-2', undefined]);
    const key = this.#one([`k${this.#tried.length}`, `k${this.#tried.length}`, undefined]);
    const terminal = this.#one(['t1', 't2']);
    const request = this.#watched.pos.asks({ key, reference, terminal } as never);
    const tried = { request, key, reference, payment: undefined, isOpen: true, isConcluded: false };
    this.#tried.push(tried);
    const next = this.#random.int(8);
    if (next > 1) this.#accept(tried);
    else if (next === 0) this.#end(tried, 303);
  }

  #accept(tried: Tried): void {
    tried.payment = `p-${tried.request.requestId}`;
    this.#watched.pos.accepted(tried.request, tried.payment, tried as never);
  }

  /** A request arrives late: its point of sale has already assumed that the request is lost. */
  #comesLate(): void {
    const tried = this.#one(this.#tried.filter(({ payment }) => payment === undefined));
    if (tried) this.#accept(tried);
  }

  #concludes(): void {
    const tried = this.#one(this.#tried.filter((each) => each.payment && !each.isConcluded));
    if (tried?.payment === undefined) return;
    tried.isConcluded = true;
    if (this.#random.int(3) === 0) this.#watched.pos.declined(tried.payment);
    else this.#watched.pos.approved(tried.payment);
  }

  #ends(): void {
    const tried = this.#one(this.#tried.filter(({ isOpen }) => isOpen));
    if (tried) this.#end(tried, 303);
  }

  #status(): void {
    const { pos, status } = this.#watched;
    const tried = this.#one(this.#tried.filter(({ key }) => key !== undefined));
    if (tried?.key === undefined) return;
    const request = status(tried.key);
    if (tried.payment === undefined) pos.answered(request, 404, { error: 'paymentNotFound' });
    else this.#end({ ...tried, request }, 202);
  }

  #end(tried: Tried, waiting: number): void {
    const { pos, lost } = this.#watched;
    const { request, payment, isConcluded } = tried;
    tried.isOpen = false;
    const how = this.#random.int(6);
    if (payment === undefined || how === 0) lost(request, this.#one(['dropRequest', 'delayRequest']));
    else if (how === 1) pos.answered(request, 503, {});
    else if (isConcluded) pos.answered(request, 200, makeResultBody(payment));
    else pos.answered(request, waiting, { identifier: payment });
  }
}

const inOrder = (findings: readonly Finding[]) =>
  findings.map(({ rule, what, count }) => `${rule} ×${count}: ${what}`).sort();

testInCi('live lint has in the end the same findings as lint of the finished journal (B255)', () => {
  const onceWrong = [424, 5477];
  for (const seed of [...Array.from({ length: 200 }, (_none, index) => index + 1), ...onceWrong]) {
    const { found, foundAfterwards } = new Chaos(seed).play(60);
    expect(inOrder(found()), `seed ${seed}`).toEqual(inOrder(foundAfterwards()));
  }
});

test.each(['before', 'after'])(
  'a retry that is lost before it is accepted is found, even if the other payment came %s it and has ended (B255)',
  (order) => {
    const { pos, lost, found, foundAfterwards } = createLintHarness();
    const first = { key: 'k1', reference: 'sale-1', terminal: 't1' };
    const retry = { key: 'k2', reference: 'sale-1', terminal: 't2' };
    const asked =
      order === 'before' ? [pos.asks(first), pos.asks(retry)] : [pos.asks(retry), pos.asks(first)];
    const [request, other] = order === 'before' ? asked : asked.reverse();
    if (!request || !other) throw new Error('two were asked');
    pos.accepted(request, 'p1', first);
    pos.approved('p1');
    pos.answered(request, 200, makeResultBody('p1'));
    lost(other);
    expect(found().map(({ rule }) => rule)).toContain('blind-payment-retry');
    expect(inOrder(found())).toEqual(inOrder(foundAfterwards()));
  },
);

test('another sale that ended meanwhile is not a retry, and ended sales are forgotten', () => {
  const { pos, found } = createLintHarness();
  const late = pos.asks({ key: 'k1', reference: 'sale-1', terminal: 't2' });
  for (let sale = 2; sale < 10; sale++) {
    const names = { key: `k${sale}`, reference: `sale-${sale}` };
    const request = pos.asks(names);
    pos.accepted(request, `p${sale}`, names);
    pos.approved(`p${sale}`);
    pos.answered(request, 200, makeResultBody(`p${sale}`));
  }
  pos.accepted(late, 'p1', { key: 'k1', reference: 'sale-1' });
  pos.approved('p1');
  pos.answered(late, 200, makeResultBody('p1'));
  expect(found()).toEqual([]);
});
