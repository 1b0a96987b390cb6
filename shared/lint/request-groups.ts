import type { PosRequest } from '../requests/pos-request.ts';
import { endOf } from './rule.ts';

/** So many requests are judged together, and so many are found by one name. */
const mostTogether = 200;
const mostOfName = 50;

/** Which requests are about the same: a payment, a key, a sale, or a payment at a terminal whose outcome is not known. */
export class RequestGroups {
  readonly #most: number;
  readonly #gone: (request: PosRequest) => void;
  /** By what they are found, in the order they came. */
  readonly #names = new Map<PosRequest, readonly string[]>();
  readonly #byName = new Map<string, Set<PosRequest>>();
  /** Payments that no later one at their terminal can be a retry of. */
  readonly #settled = new WeakSet<PosRequest>();

  /** @param gone is told of a request that is forgotten for a newer one */
  constructor(most: number, gone: (request: PosRequest) => void) {
    this.#most = most;
    this.#gone = gone;
  }

  /** Adds a request, or again where more is known of it. */
  add(request: PosRequest): void {
    const names = this.#settled.has(request) ? namesOf(request) : [...namesOf(request), ...triedAt(request)];
    for (const name of this.#names.get(request) ?? []) if (!names.includes(name)) this.#leave(request, name);
    this.#names.set(request, names);
    for (const name of names) this.#join(request, name);
    if (this.#names.size <= this.#most) return;
    const [oldest] = this.#names.keys();
    if (oldest) this.#remove(oldest);
  }

  /** What comes at the same terminal from now on is another sale. */
  settle(request: PosRequest): void {
    if (this.#settled.has(request) || !this.#names.has(request)) return;
    this.#settled.add(request);
    this.add(request);
  }

  #join(request: PosRequest, name: string): void {
    const known = this.#byName.get(name);
    if (!known) return void this.#byName.set(name, new Set([request]));
    known.add(request);
    if (known.size <= mostOfName) return;
    const [oldest] = known;
    if (oldest) known.delete(oldest);
  }

  #leave(request: PosRequest, name: string): void {
    const known = this.#byName.get(name);
    known?.delete(request);
    if (known?.size === 0) this.#byName.delete(name);
  }

  #remove(request: PosRequest): void {
    for (const name of this.#names.get(request) ?? []) this.#leave(request, name);
    this.#names.delete(request);
    this.#gone(request);
  }

  /** Whether no other is about the same. */
  isAlone(request: PosRequest): boolean {
    return (this.#names.get(request) ?? []).every((name) => this.#byName.get(name)?.size === 1);
  }

  /** An ended request of a payment. */
  endedOf(payment: string): PosRequest | undefined {
    return [...(this.#byName.get(paymentName(payment)) ?? [])].find(
      (request) => endOf(request) !== undefined,
    );
  }

  /** All that are about the same as a request, in the order they came. */
  of(request: PosRequest): PosRequest[] {
    const group = new Set([request]);
    for (const each of group)
      for (const name of this.#names.get(each) ?? [])
        for (const other of this.#byName.get(name) ?? []) if (group.size < mostTogether) group.add(other);
    return [...group].sort((one, other) => one.received.seq - other.received.seq);
  }
}

function paymentName(payment: string): string {
  return `p\n${payment}`;
}

function namesOf(request: PosRequest): string[] {
  const { kind, accountId, payment, path } = request;
  const names = payment === undefined ? [] : [paymentName(payment)];
  const key = kind === 'payment' ? request.key : request.named.idempotencyKey;
  if (typeof key === 'string') names.push(`k\n${accountId}\n${key}`);
  if (kind === 'latest') names.push(`l\n${accountId}\n${path}`);
  const reference = kind === 'payment' ? request.reference : undefined;
  if (reference !== undefined) names.push(`r\n${accountId}\n${reference}`);
  return names;
}

/** Without a reference, a payment may be one that was tried at the terminal before. */
function triedAt({ kind, accountId, path, reference }: PosRequest): string[] {
  return kind === 'payment' && reference === undefined ? [`t\n${accountId}\n${path}`] : [];
}
