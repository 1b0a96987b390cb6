import { RecentlyUsed } from '../recently-used.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { giveBackKeyOf } from './blind-give-backs.ts';
import { OverlappingPaymentFinder } from './overlapping-payments.ts';
import { endEntryOf, isOutcomeUnknown, isUnderWay } from './rule.ts';
import { SharedReferences } from './shared-references.ts';

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
 */
export class RequestGroups {
  readonly #most: number;
  readonly #onForgotten: (request: PosRequest) => void;
  /**
   * The payments that have not ended, by path and by the name of their sale. Requests with the same path concern the
   * same terminal, and a terminal has one payment at a time.
   */
  readonly #open = new Map<string, PosRequest>();
  /** The requests in the order in which they came. */
  readonly #names = new Map<PosRequest, Names>();
  readonly #byName = new Map<string, Set<PosRequest>>();
  /** Payments that are settled: no later request can be a retry of one of them. */
  readonly #settled = new WeakSet<PosRequest>();
  /**
   * Payments that were open at the same time as another payment of the same sale or terminal, or that were repeated
   * blindly. They are found even when they are settled.
   */
  readonly #kept = new WeakSet<PosRequest>();
  readonly #crowds: SharedReferences;
  readonly #overlapping: OverlappingPaymentFinder;

  /** @param gone is called for each request that this object forgets, for example because a newer request needs room */
  constructor(most: number, gone: (request: PosRequest) => void) {
    this.#most = most;
    this.#onForgotten = gone;
    this.#crowds = new SharedReferences(new RecentlyUsed(most));
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
    this.#keepOverlapping(request);
  }

  /**
   * Makes sure that a payment is judged together with the payments of the same sale that ended while the payment was
   * open.
   */
  #keepOverlapping(request: PosRequest): void {
    const ended = this.#overlapping.named(request, () => this.#saleName(request));
    if (ended.length > 0) for (const each of [...ended, request]) this.keep(each);
  }

  /** Makes sure that requests that are open at the same time are judged together. */
  #noteOpen(name: string, request: PosRequest): void {
    const other = this.#open.get(name);
    if (other && other !== request) for (const each of [other, request]) this.keep(each);
    this.#open.set(name, request);
    if (this.#open.size <= 2 * this.#most) return;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined) this.#open.delete(oldest);
  }

  /** Notes that a request ended. */
  end(request: PosRequest): void {
    if (request.kind !== 'payment') return;
    this.#crowds.count(request);
    this.#noteClosed(request);
    this.#keepOverlapping(request);
    this.#overlapping.end(request, () => this.#saleName(request));
  }

  #noteClosed(request: PosRequest): void {
    for (const name of openNames(request)) if (this.#open.get(name) === request) this.#open.delete(name);
  }

  /** Whether another payment of the same sale, or at the same terminal, is open and came after this request. */
  #overlapsAnother(request: PosRequest): boolean {
    return openNames(request).some((name) => (this.#open.get(name) ?? request) !== request);
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
    const { kind, accountId, payment, path } = request;
    const own = payment === undefined ? [] : [paymentName(payment)];
    const key = kind === 'payment' ? request.key : request.named.idempotencyKey;
    if (typeof key === 'string') own.push(keyName(accountId, key));
    if (kind === 'latest') own.push(`l\n${accountId}\n${path}`);
    const back = giveBackKeyOf(request);
    if (back !== undefined) own.push(back);
    if (kind !== 'payment') return { looksFor: own, foundBy: own };
    const tried = [`t\n${accountId}\n${path}`];
    const sale = this.#saleName(request);
    if (sale !== undefined) tried.push(sale);
    const looksFor = [...own, ...tried];
    const isUnknown = isOutcomeUnknown(request) || isUnderWay(request);
    const isFound = this.#kept.has(request) || (isUnknown && !this.#settled.has(request));
    return { looksFor, foundBy: isFound ? looksFor : own };
  }

  /**
   * Notes that the requests that come from now on are no retries of this request. Does nothing while an open request
   * may be a retry of this request.
   */
  settle(request: PosRequest): void {
    if (this.#settled.has(request) || !this.#names.has(request) || this.#overlapsAnother(request)) return;
    this.#settled.add(request);
    this.add(request);
  }

  /**
   * Makes sure that a request is still found under all of its names when it is settled, so that the request and its
   * retry are judged together.
   */
  keep(request: PosRequest): void {
    if (this.#kept.has(request)) return;
    this.#kept.add(request);
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
  keepFew(upTo: number, most: number): void {
    for (const request of upToEntry(this.#names.keys(), upTo).slice(0, -most)) this.#remove(request);
    for (const request of upToEntry(this.#open.values(), upTo).slice(0, -most)) this.#noteClosed(request);
    this.#overlapping.keepFew(upTo, most);
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
    for (const each of group)
      for (const name of this.#names.get(each)?.looksFor ?? [])
        for (const other of this.#byName.get(name) ?? []) if (group.size < mostTogether) group.add(other);
    for (const open of this.#open.values())
      if ([...group].some((each) => isAboutPayment(each, open))) group.add(open);
    return [...group].sort((one, other) => one.received.seq - other.received.seq);
  }
}

/** Returns the requests that came no later than an entry, roughly in the order in which they came. */
function upToEntry(requests: Iterable<PosRequest>, upTo: number): PosRequest[] {
  const found: PosRequest[] = [];
  for (const request of requests) {
    if (request.received.seq > upTo) break;
    found.push(request);
  }
  return found;
}

function isAboutPayment(request: PosRequest, { accountId, key, payment }: PosRequest): boolean {
  if (payment !== undefined && request.payment === payment) return true;
  if (key === undefined || request.accountId !== accountId) return false;
  return (request.kind === 'payment' ? request.key : request.named.idempotencyKey) === key;
}

function paymentName(payment: string): string {
  return `p\n${payment}`;
}

function keyName(accountId: string | undefined, key: string): string {
  return `k\n${accountId}\n${key}`;
}

function openNames({ kind, path, saleName }: PosRequest): string[] {
  return kind !== 'payment' ? [] : saleName === undefined ? [path] : [path, saleName];
}
