import { RecentlyUsedCache } from '../recently-used.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { makeGiveBackGroupKey } from './blind-give-backs.ts';
import { OpenPaymentsByName } from './open-payments.ts';
import { OverlappingPaymentFinder } from './overlapping-payments.ts';
import { findUpToEntry } from './requests-up-to-entry.ts';
import { endEntryOf, isOutcomeUnknown, isPaymentUnderWay } from './rule.ts';
import { ReferencePaymentCounter } from './shared-references.ts';

/**
 * The maximum number of requests that are judged together, and the maximum number of requests that are found under one
 * name.
 */
const mostTogether = 200;
const mostOfName = 50;

/** The names that connect a request with other requests. Each name is made from a payment, a key, a sale or a path. */
interface Names {
  /** The names under which this request looks for other requests. */
  readonly looksFor: readonly string[];
  /** The names under which other requests find this request. */
  readonly foundBy: readonly string[];
}

/**
 * Finds the requests that have to be judged together ({@link RequestGroups.of}), because they are about the same
 * payment or key. As long as the point of sale does not know a payment's outcome, other payments of the same sale or at
 * the same terminal belong to the same group, because they may be retries of that payment. Nearly all payments succeed
 * and have no other requests; such payments take no memory here.
 *
 * The calls for a payment request come in this order: `begin` when the request comes, `accept` when the request became
 * a payment, and `end` when it ended. Then `isAlone` says whether the request can be left out; if it cannot, `add`
 * stores the request, and `of` returns all requests to judge with it. After the judgement, `keepFindable` or
 * `noteNoRetryFollows` may follow. For another request, the calls begin with `end`.
 */
export class RequestGroups {
  readonly #most: number;
  readonly #onForgotten: (request: PosRequest) => void;
  readonly #open: OpenPaymentsByName;
  /** The requests in the order in which they came. */
  readonly #names = new Map<PosRequest, Names>();
  readonly #byName = new Map<string, Set<PosRequest>>();
  /** Payments of which no later request can be a retry. */
  readonly #withoutRetry = new WeakSet<PosRequest>();
  /**
   * Payments that were open at the same time as another payment of the same sale or terminal, or that were repeated
   * blindly. They are found under all of their names, even when no later request can be a retry of them.
   */
  readonly #keptFindable = new WeakSet<PosRequest>();
  readonly #crowds: ReferencePaymentCounter;
  readonly #overlapping: OverlappingPaymentFinder;

  /** @param gone is called for each request that this object forgets, for example because a newer request needs room */
  constructor(most: number, gone: (request: PosRequest) => void) {
    this.#most = most;
    this.#onForgotten = gone;
    this.#open = new OpenPaymentsByName(2 * most);
    this.#crowds = new ReferencePaymentCounter(new RecentlyUsedCache(most));
    this.#overlapping = new OverlappingPaymentFinder(most);
  }

  /**
   * Whether too many payments share the request's reference. Such a reference does not show which payments belong
   * together.
   */
  isCrowded(request: PosRequest): boolean {
    return this.#crowds.has(request);
  }

  /**
   * Notes that a payment request came. If another request comes to the same terminal before this request ends, that
   * other request may be a retry.
   */
  begin(request: PosRequest): void {
    this.#noteOpen(request.path, request);
    this.#overlapping.begin(request);
  }

  /**
   * Notes that a request became a payment, so the name of its sale is known. A later request of the same sale may be a
   * retry of this request, even at another terminal.
   */
  accept(request: PosRequest): void {
    const name = this.#saleName(request);
    if (name !== undefined) this.#noteOpen(name, request);
    this.#keepOverlappingFindable(request);
  }

  /**
   * Makes sure that a payment is judged together with the payments of the same sale that ended while the payment was
   * open.
   */
  #keepOverlappingFindable(request: PosRequest): void {
    const ended = this.#overlapping.named(request, () => this.#saleName(request));
    if (ended.length > 0) for (const each of [...ended, request]) this.keepFindable(each);
  }

  /** Makes sure that requests that are open at the same time are judged together. */
  #noteOpen(name: string, request: PosRequest): void {
    const other = this.#open.noteOpen(name, request);
    if (other) for (const each of [other, request]) this.keepFindable(each);
  }

  /** Notes that a request ended. */
  end(request: PosRequest): void {
    if (request.kind !== 'payment') return;
    this.#crowds.count(request);
    this.#open.noteClosed(request);
    this.#keepOverlappingFindable(request);
    this.#overlapping.end(request, () => this.#saleName(request));
  }

  /** The name of the request's sale; undefined if too many payments share the name. */
  #saleName(request: PosRequest): string | undefined {
    return this.isCrowded(request) ? undefined : request.saleName;
  }

  /** True if no other request is about the same thing. */
  isAlone(request: PosRequest): boolean {
    if (this.#names.has(request)) return false;
    return this.#namesOf(request).looksFor.every((name) => !this.#byName.has(name));
  }

  /** Adds a request. Call this again when more is known about the request. */
  add(request: PosRequest): void {
    const names = this.#namesOf(request);
    for (const name of this.#names.get(request)?.foundBy ?? [])
      if (!names.foundBy.includes(name)) this.#removeFrom(request, name);
    this.#names.set(request, names);
    for (const name of names.foundBy) this.#addUnder(request, name);
    if (this.#names.size <= this.#most) return;
    const [oldest] = this.#names.keys();
    if (oldest) this.#remove(oldest);
  }

  #namesOf(request: PosRequest): Names {
    const { kind, accountId, payment, path, paymentKey } = request;
    const own = payment === undefined ? [] : [paymentName(payment)];
    if (paymentKey !== undefined) own.push(keyName(accountId, paymentKey));
    if (kind === 'latest') own.push(`l\n${accountId}\n${path}`);
    const back = makeGiveBackGroupKey(request);
    if (back !== undefined) own.push(back);
    if (kind !== 'payment') return { looksFor: own, foundBy: own };
    const tried = [`t\n${accountId}\n${path}`];
    const sale = this.#saleName(request);
    if (sale !== undefined) tried.push(sale);
    const looksFor = [...own, ...tried];
    const isUnknown = isOutcomeUnknown(request) || isPaymentUnderWay(request);
    const isFound = this.#keptFindable.has(request) || (isUnknown && !this.#withoutRetry.has(request));
    return { looksFor, foundBy: isFound ? looksFor : own };
  }

  /**
   * Notes that the requests that come from now on are no retries of this request. Does nothing while an open request
   * may be a retry of this request.
   */
  noteNoRetryFollows(request: PosRequest): void {
    if (this.#withoutRetry.has(request) || !this.#names.has(request)) return;
    if (this.#open.overlapsAnother(request)) return;
    this.#withoutRetry.add(request);
    this.add(request);
  }

  /**
   * Makes sure that a request can be found under all of its names, even after `noteNoRetryFollows`. So the request and
   * its retry are judged together.
   */
  keepFindable(request: PosRequest): void {
    if (this.#keptFindable.has(request)) return;
    this.#keptFindable.add(request);
    this.add(request);
  }

  #addUnder(request: PosRequest, name: string): void {
    const known = this.#byName.get(name);
    if (!known) return void this.#byName.set(name, new Set([request]));
    known.add(request);
    if (known.size <= mostOfName) return;
    const [oldest] = known;
    if (oldest) known.delete(oldest);
  }

  #removeFrom(request: PosRequest, name: string): void {
    const known = this.#byName.get(name);
    known?.delete(request);
    if (known?.size === 0) this.#byName.delete(name);
  }

  /**
   * Forgets requests. Of the requests that came no later than the entry with the number `upTo`, only the latest `most`
   * are kept.
   */
  forgetAllBut(upTo: number, most: number): void {
    for (const request of findUpToEntry(this.#names.keys(), upTo).slice(0, -most)) this.#remove(request);
    this.#open.forgetAllBut(upTo, most);
    this.#overlapping.forgetAllBut(upTo, most);
  }

  #remove(request: PosRequest): void {
    for (const name of this.#names.get(request)?.foundBy ?? []) this.#removeFrom(request, name);
    this.#names.delete(request);
    this.#onForgotten(request);
  }

  /** Returns an ended request about this payment. */
  endedOf(payment: string): PosRequest | undefined {
    for (const request of this.#byName.get(paymentName(payment)) ?? [])
      if (endEntryOf(request)) return request;
    return undefined;
  }

  /** Returns the requests that contain a key. */
  ofKey(accountId: string | undefined, key: string): readonly PosRequest[] {
    return [...(this.#byName.get(keyName(accountId, key)) ?? [])];
  }

  /** Returns all requests that have to be judged together with this request, in the order in which they came. */
  of(request: PosRequest): PosRequest[] {
    const group = new Set([request]);
    this.#addLinked(group);
    this.#addOpen(group);
    return [...group].sort((one, other) => one.received.seq - other.received.seq);
  }

  /** Adds the requests that the requests of the group find by their names. */
  #addLinked(group: Set<PosRequest>): void {
    // the loop also visits the requests that it adds
    for (const each of group)
      for (const name of this.#names.get(each)?.looksFor ?? [])
        for (const other of this.#byName.get(name) ?? []) if (group.size < mostTogether) group.add(other);
  }

  /** Adds the open payments that requests of the group are about. */
  #addOpen(group: Set<PosRequest>): void {
    for (const open of this.#open.requests())
      if ([...group].some((each) => isAboutPayment(each, open))) group.add(open);
  }
}

function isAboutPayment(request: PosRequest, { accountId, key, payment }: PosRequest): boolean {
  if (payment !== undefined && request.payment === payment) return true;
  if (key === undefined || request.accountId !== accountId) return false;
  return request.paymentKey === key;
}

function paymentName(payment: string): string {
  return `p\n${payment}`;
}

function keyName(accountId: string | undefined, key: string): string {
  return `k\n${accountId}\n${key}`;
}
