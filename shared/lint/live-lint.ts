import type { JournalEntry } from '../journal.ts';
import { RecentlyUsedCache } from '../recently-used.ts';
import { peekEntryData } from '../requests/peek-entry-data.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { PosRequestAssembler } from '../requests/read-requests.ts';
import { findOwnSellerByUserAgent } from '../sales/own-seller.ts';
import { sameSaleMs } from '../sales/same-sale.ts';
import { blindPaymentRetryRule, findBlindPaymentRetries } from './blind-payment-retry.ts';
import { DeliveredOutcomes } from './delivered-outcomes.ts';
import { type Finding, groupFindings } from './finding.ts';
import { ignored303Rule, stoppedAskingRule, unknownOutcomeRule } from './outcome-known.ts';
import { RequestGroups } from './request-groups.ts';
import { chooseRequestsToJudge } from './requests-to-judge.ts';
import {
  endEntryOf,
  hadTimeToAct,
  hasOutcome,
  isOutcomeUnknown,
  isPaymentUnderWay,
  type LintRule,
  type Occurrence,
} from './rule.ts';
import { lintRules } from './rules.ts';
import { unverifiedWebhookRule } from './unverified-webhook.ts';

/** The maximum number of requests that are remembered. Earlier requests are forgotten. */
const mostRequests = 2_000;
/**
 * The maximum number of requests that are kept after the journal has dropped their entries. Each request can take as
 * much memory as an entry (B364).
 */
const mostOutlived = 200;

/** The rules whose findings can be withdrawn: this happens when the point of sale asks for the outcome after all. */
const notYetAsked: ReadonlySet<LintRule> = new Set([unknownOutcomeRule, ignored303Rule, stoppedAskingRule]);

/**
 * The point of sale was watched until this moment. The moment is given twice, in epoch milliseconds: on the journal's
 * clock and on the real clock.
 */
export interface WatchEndTimes {
  readonly until: number;
  readonly realUntil: number;
}

/** An occurrence, and the rule that found it. */
export interface RuleOccurrence {
  readonly rule: LintRule;
  readonly seen: Occurrence;
}

/** The changes that a call of `judge` made. */
interface Judged {
  /** The requests whose findings changed. */
  readonly requests: readonly PosRequest[];
  readonly found: readonly RuleOccurrence[];
}

/**
 * Judges a point of sale while it works, entry by entry. Only requests that changed are judged again, together with the
 * requests about the same thing. If the journal is complete, the findings about the latest requests equal those of
 * {@link lintJournal}.
 */
export class LiveLint {
  readonly #reader = new PosRequestAssembler(mostRequests);
  readonly #groups = new RequestGroups(mostRequests, (request) => this.#forget(request));
  readonly #conclusions = new RecentlyUsedCache<JournalEntry<'payment.concluded'>>(mostRequests);
  readonly #results = new DeliveredOutcomes(
    (payment) => this.#conclusions.get(payment) !== undefined,
    mostRequests,
  );
  /** The requests that are still to be judged. */
  #toJudge = new Set<PosRequest>();
  /** The requests without an outcome, as long as the point of sale still has time to ask for it. */
  readonly #waiting = new Set<PosRequest>();
  readonly #occurrences = new Map<PosRequest, readonly RuleOccurrence[]>();
  #probes: JournalEntry<'webhook.probed'>[] = [];
  #droppedUpTo = 0;
  readonly #probeOccurrences: RuleOccurrence[] = [];

  /** Whether a request or a probe has to be judged now. Requests that only need more time do not count. */
  get isDue(): boolean {
    return this.#toJudge.size > 0 || this.#probes.length > 0;
  }

  take(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'payment.concluded':
        return this.#concluded(entry);
      case 'event.published':
      case 'webhook.attempted':
        return this.#judgeAgain(this.#results.take(entry));
      case 'webhook.probed':
        return void this.#probes.push(entry);
      case 'http.received':
        return this.#began(this.#reader.take(entry));
      case 'payment.accepted':
        return this.#accepted(entry);
      case 'request.unknownField':
      case 'request.cardNumber':
      case 'credit.changed':
        return void this.#reader.take(entry);
      case 'http.answered':
      case 'http.hungUp':
      case 'http.sent':
      case 'fault.injected':
        return this.#ended(this.#reader.take(entry));
    }
  }

  #began(request: PosRequest | undefined): void {
    if (request?.kind === 'payment') this.#groups.begin(request);
  }

  /**
   * When a payment is accepted, judges the requests about it once more. There are two reasons: a status request may
   * have asked for the payment earlier, and the payment's own request may have ended before this entry arrived.
   */
  #accepted(entry: JournalEntry<'payment.accepted'>): void {
    const request = this.#reader.take(entry);
    if (request && !endEntryOf(request)) this.#groups.accept(request);
    // If there is a request, the key is taken from the request and not from the entry, because reading a field of an
    // entry costs more than everything else here.
    const { accountId, key } = request ?? keyIn(entry);
    const others = key === undefined ? [] : this.#groups.ofKey(accountId, key);
    if (others.length === 0 && (!request || !endEntryOf(request))) return;
    for (const each of new Set([request, ...others])) {
      if (!each || !endEntryOf(each)) continue;
      this.#reader.findPayment(each);
      this.#groups.end(each);
      this.#groups.add(each);
      this.#toJudge.add(each);
    }
  }

  #ended(request: PosRequest | undefined): void {
    if (!request || !endEntryOf(request) || isPlainCharge(request)) return;
    this.#reader.findPayment(request);
    this.#groups.end(request);
    if (isPlainSuccess(request) && this.#groups.isAlone(request)) return;
    this.#groups.add(request);
    this.#toJudge.add(request);
  }

  /** Judges the payment's request again, because its outcome may be known now. */
  #concluded(entry: JournalEntry<'payment.concluded'>): void {
    if (entry.payment === undefined) return;
    this.#conclusions.set(entry.payment, entry);
    this.#judgeAgain(entry.payment);
  }

  #judgeAgain(payment: string | undefined): void {
    const request = payment === undefined ? undefined : this.#groups.endedOf(payment);
    if (request) this.#toJudge.add(request);
  }

  /**
   * Judges the requests that changed. With `inTime`, also judges requests whose point of sale has had enough time to
   * act.
   */
  judge(moment: WatchEndTimes, inTime: boolean): Judged {
    const left = new Set([...this.#toJudge, ...(inTime ? this.#due(moment) : [])]);
    this.#toJudge = new Set();
    const [requests, found]: [PosRequest[], RuleOccurrence[]] = [[], []];
    for (const request of left) {
      const all = this.#groups.of(request);
      for (const each of all) left.delete(each); // all requests of the group are judged now
      const group = chooseRequestsToJudge(all);
      const isCut = group.length < all.length;
      this.#waitForOutcome(group, moment);
      const seen = this.#applyRules(group, moment);
      this.#noteNoRetryFollows(group, moment);
      for (const each of group) {
        const now = seen.get(each) ?? [];
        if (this.#replaceOccurrences(each, isCut ? this.#withFormer(each, now) : now, found))
          requests.push(each);
      }
    }
    found.push(...this.#judgeProbes(moment));
    return { requests, found };
  }

  #due(moment: WatchEndTimes): PosRequest[] {
    return [...this.#waiting].filter((request) => {
      const end = endEntryOf(request);
      return end !== undefined && hadTimeToAct(moment, end);
    });
  }

  #noteNoRetryFollows(group: readonly PosRequest[], { until }: WatchEndTimes): void {
    const known = new Set(group.filter(hasOutcome).map(({ payment }) => payment));
    for (const each of group) {
      const end = endEntryOf(each);
      const isUnknown = (isOutcomeUnknown(each) || isPaymentUnderWay(each)) && !known.has(each.payment);
      if (end && (!isUnknown || until - end.at > sameSaleMs)) this.#groups.noteNoRetryFollows(each);
    }
  }

  /**
   * Keeps requests without an outcome for a later judgement. Later, the last request of a group may no longer be enough
   * to find the whole group. So every request without an outcome waits, not only the last request of the group.
   */
  #waitForOutcome(group: readonly PosRequest[], moment: WatchEndTimes): void {
    for (const each of group) this.#waiting.delete(each);
    const unknown = group.filter((each) => isOutcomeUnknown(each) || isPaymentUnderWay(each));
    for (const each of unknown.length === 0 ? [] : [...unknown, ...group.slice(-1)]) {
      const end = endEntryOf(each);
      if (!(end && hadTimeToAct(moment, end))) this.#waiting.add(each);
    }
  }

  #applyRules(group: readonly PosRequest[], moment: WatchEndTimes): Map<PosRequest, RuleOccurrence[]> {
    const conclusionOf = (payment: string) => this.#conclusions.get(payment);
    const own = group.filter(isOfThePos);
    if (own.length === 0) return new Map();
    const isCrowded = (request: PosRequest) => this.#groups.isCrowded(request);
    const wasSent = (payment: string) => this.#results.has(payment);
    const watched = { requests: own, probes: [], isCrowded, conclusionOf, wasSent, ...moment };
    const all = lintRules.flatMap((rule) =>
      rule.check(watched).flatMap((seen) => (seen.of ? [{ of: seen.of, rule, seen }] : [])),
    );
    if (all.some(({ rule }) => rule === blindPaymentRetryRule))
      for (const { first, retry } of findBlindPaymentRetries(watched))
        for (const each of [first, retry]) this.#groups.keepFindable(each);
    return Map.groupBy(all, ({ of }) => of);
  }

  /**
   * Adds the earlier findings about a request to the new ones, because the requests that showed an earlier finding may
   * have been left out of the group. Findings of the rules in {@link notYetAsked} are not added, because they may have
   * been withdrawn.
   */
  #withFormer(request: PosRequest, now: readonly RuleOccurrence[]): readonly RuleOccurrence[] {
    const stays = ({ rule }: RuleOccurrence) =>
      !notYetAsked.has(rule) && !now.some((each) => each.rule === rule);
    return [...now, ...(this.#occurrences.get(request) ?? []).filter(stays)];
  }

  /** Replaces the findings about a request. Adds the new ones to `found`. Returns whether the findings changed. */
  #replaceOccurrences(request: PosRequest, now: readonly RuleOccurrence[], found: RuleOccurrence[]): boolean {
    const before = this.#occurrences.get(request) ?? [];
    if (now.length > 0) this.#occurrences.set(request, now);
    else this.#occurrences.delete(request);
    const isKnown = ({ rule }: RuleOccurrence) => before.some((each) => each.rule === rule);
    found.push(...now.filter((each) => !isKnown(each)));
    const isSame = ({ rule, seen }: RuleOccurrence) =>
      before.some((each) => each.rule === rule && each.seen.what === seen.what);
    return now.length !== before.length || !now.every(isSame);
  }

  #judgeProbes(moment: WatchEndTimes): RuleOccurrence[] {
    if (this.#probes.length === 0) return [];
    const nothing = {
      requests: [],
      isCrowded: () => false,
      conclusionOf: () => undefined,
      wasSent: () => false,
    };
    const watched = { ...nothing, probes: this.#probes, ...moment };
    this.#probes = [];
    const found = unverifiedWebhookRule.check(watched).map((seen) => ({ rule: unverifiedWebhookRule, seen }));
    this.#probeOccurrences.push(...found);
    if (this.#probeOccurrences.length > mostRequests)
      this.#probeOccurrences.splice(0, this.#probeOccurrences.length - mostRequests);
    return found;
  }

  /**
   * Returns all findings about these requests. If no requests are given, returns the findings about all requests and
   * the webhooks.
   */
  findings(requests?: Iterable<PosRequest>): Finding[] {
    const all = requests
      ? [...requests].flatMap((request) => this.#occurrences.get(request) ?? [])
      : [...[...this.#occurrences.values()].flat(), ...this.#probeOccurrences];
    const inOrder = all.sort((one, other) => seqOf(one) - seqOf(other));
    const byRule = Map.groupBy(inOrder, ({ rule }) => rule);
    return lintRules.flatMap((rule) => {
      const found = byRule.get(rule);
      return found
        ? groupFindings(
            rule,
            found.map(({ seen }) => seen),
          )
        : [];
    });
  }

  /** The requests about which there are findings. */
  get blamed(): Iterable<PosRequest> {
    return this.#occurrences.keys();
  }

  /**
   * Call this when the journal has dropped its entries up to the number `upTo`. Of the requests up to that number, only
   * the latest are kept.
   */
  outlive(upTo: number): void {
    if (upTo - this.#droppedUpTo < mostOutlived) return;
    this.#droppedUpTo = upTo;
    this.#reader.forgetAllBut(upTo, mostOutlived);
    this.#groups.forgetAllBut(upTo, mostOutlived);
  }

  #forget(request: PosRequest): void {
    this.#occurrences.delete(request);
    this.#waiting.delete(request);
    this.#toJudge.delete(request);
  }
}

function keyIn(entry: JournalEntry<'payment.accepted'>): Pick<PosRequest, 'accountId' | 'key'> {
  const { accountId, idempotencyKey: key } = peekEntryData(entry, ['accountId', 'idempotencyKey']);
  return { accountId, key };
}

function seqOf({ seen }: RuleOccurrence): number {
  return seen.of?.received.seq ?? seen.entries[0]?.seq ?? 0;
}

/**
 * Whether the point of sale sent a request. pinpad's own sales (B238) and scenarios at this gateway send requests too.
 */
function isOfThePos({ requestId, received }: PosRequest): boolean {
  return (
    !requestId.startsWith('scenario-') &&
    findOwnSellerByUserAgent(received.data.headers?.['user-agent']) === undefined
  );
}

/**
 * Whether a request succeeded, has no key, and is a charge, a preauthorization or a capture. No rule can find a mistake
 * in such a request, even together with other requests.
 */
function isPlainCharge({ kind, key, notes, status = 0, hungUp }: PosRequest): boolean {
  const isCharge = kind === 'charge' || kind === 'preauthorize' || kind === 'capture';
  return isCharge && key === undefined && notes.length === 0 && status >= 200 && status < 300 && !hungUp;
}

/**
 * Whether the gateway noted no wrong field in a request, and the request is one of these: a refund that succeeded
 * without a key, or a payment with a key and an outcome. Under load, nearly all requests are like this.
 */
function isPlainSuccess(request: PosRequest): boolean {
  const { kind, key, notes, status, hungUp } = request;
  if (notes.length > 0) return false;
  if (kind === 'refund') return key === undefined && status === 201 && !hungUp;
  return kind === 'payment' && key !== undefined && hasOutcome(request);
}
