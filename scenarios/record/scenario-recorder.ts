import type { JournalEntry } from '../../shared/journal.ts';
import { asRecord, readEntryField } from '../../shared/journal-fields.ts';
import { toMajor } from '../../shared/money.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { readPosRequests } from '../../shared/requests/read-requests.ts';
import { readTransactionRequest } from './adyen-steps.ts';
import { findWebhookNamesById, makeFinalExpectations } from './final-expectations.ts';
import { IdPlaceholders } from './known-ids.ts';
import { beginsSale, NamedRequests } from './named-requests.ts';
import { OperatorRecorder } from './operator-recorder.ts';
import {
  makeAnswerExpectation,
  makePlainRequestStep,
  type ScenarioNameLookup,
  stepOfRequest,
} from './pos-steps.ts';
import { makeRecordedNeeds, type RecordedEnvironment } from './recorded-environment.ts';
import { findMissingBodyRemark, findRecordedIdempotencyKey, targetTerminalOf } from './recorded-requests.ts';
import { RecordedTerminals } from './recorded-terminals.ts';
import { type RecordedStep, RecordedStepList } from './recording.ts';

/** The steps of a scenario, and the parts of its environment. */
interface RecordedScenario {
  readonly needs: Record<string, unknown>;
  readonly steps: RecordedStep[];
}

/** Makes the steps of a scenario from the entries of a journal, one entry after the other. */
export class ScenarioRecorder {
  #entries: readonly JournalEntry[];
  #environment: RecordedEnvironment;
  /** The requests of the point of sale. The key is the requestId. */
  #requests: ReadonlyMap<string, PosRequest>;
  #named = new NamedRequests();
  #recording = new RecordedStepList();
  #terminals: RecordedTerminals;
  #operator: OperatorRecorder;
  #ids = new IdPlaceholders();
  #names: ScenarioNameLookup;
  #usedContacts = new Set<string>();
  #usedBankAccounts = new Set<string>();
  #needsProduction = false;

  private constructor(
    entries: readonly JournalEntry[],
    environment: RecordedEnvironment,
    { oneTerminal }: { oneTerminal: boolean },
  ) {
    this.#entries = entries;
    this.#environment = environment;
    this.#requests = new Map(readPosRequests(entries).map((request) => [request.requestId, request]));
    const [requests, recording, ids] = [this.#requests, this.#recording, this.#ids];
    const { terminals } = environment;
    this.#terminals = new RecordedTerminals({ entries, requests, recording, terminals, oneTerminal });
    for (const { identifier, placeholder } of this.#terminals.placeholders())
      ids.add(identifier, placeholder);
    this.#operator = new OperatorRecorder({
      entries,
      recording,
      terminals: this.#terminals,
      ids,
      named: this.#named,
    });
    this.#names = {
      terminal: (request) => this.#terminals.find(targetTerminalOf(request))?.name,
      sale: (of) => this.#named.findSale(of)?.name,
      useCustomer: (id) => this.#useCustomer(id),
      useBankAccount: (id) => this.#useBankAccount(id),
      credit: (id) => this.#credit(id),
      ids,
    };
  }

  /**
   * Records a whole scenario.
   * @param ending the expectations at the end; if absent, they are made from the journal
   */
  static record(
    entries: readonly JournalEntry[],
    environment: RecordedEnvironment,
    ending: readonly Record<string, unknown>[] | undefined,
  ): RecordedScenario {
    return new ScenarioRecorder(entries, environment, { oneTerminal: false }).#record(ending);
  }

  /**
   * Returns the steps for a scenario with one terminal. The map's keys are the seqs of the journal entries at which the
   * steps were added. Several key presses at a terminal may make one step, for example a PIN. Only one of their entries
   * is in the map.
   */
  static stepsByEntry(
    entries: readonly JournalEntry[],
    environment: RecordedEnvironment,
  ): Map<number, RecordedStep[]> {
    return new ScenarioRecorder(entries, environment, { oneTerminal: true }).#stepsByEntry();
  }

  #record(ending: readonly Record<string, unknown>[] | undefined): RecordedScenario {
    for (const entry of this.#entries) this.#see(entry);
    const at = this.#entries.at(-1)?.at ?? 0;
    const last = ending ?? makeFinalExpectations(this.#entries, this.#terminals.all);
    this.#recording.expect(at, ...last);
    return { needs: this.#needs(), steps: this.#recording.steps };
  }

  #needs(): Record<string, unknown> {
    const terminals = this.#terminals.all;
    const accepted = this.#entries.find((entry) => entry.kind === 'payment.accepted');
    const webhooks = findWebhookNamesById(this.#entries);
    return {
      ...makeRecordedNeeds(this.#environment, {
        terminals,
        contacts: this.#usedContacts,
        bankAccounts: this.#usedBankAccounts,
        currency: accepted && readEntryField(accepted, 'currency'),
      }),
      ...(this.#needsProduction ? { production: true } : {}),
      ...(terminals.some(({ hadToBeQuick }) => hadToBeQuick) ? { pacing: 'natural' } : {}),
      ...(webhooks.size > 0 ? { webhooks: [...webhooks.values()] } : {}),
    };
  }

  #stepsByEntry(): Map<number, RecordedStep[]> {
    const byEntry = new Map<number, RecordedStep[]>();
    for (const entry of this.#entries) {
      const before = this.#recording.steps.length;
      this.#see(entry);
      const made = this.#recording.steps.slice(before);
      const own = entry.kind === 'clock.advanced' ? made : made.filter(({ step }) => !isPause(step));
      if (own.length > 0) byEntry.set(entry.seq, own);
    }
    return byEntry;
  }

  #see(entry: JournalEntry): void {
    if (entry.kind === 'http.received') this.#received(entry);
    else if (entry.kind === 'http.answered') this.#answered(entry);
    else if (entry.kind === 'http.hungUp') this.#hungUp(entry);
    else if (entry.kind === 'clock.advanced') this.#recording.pass(entry.at, entry.data.byMs);
    else if (entry.kind === 'credit.changed') this.#operator.creditChanged(entry);
    else if (entry.kind === 'refund.changed') this.#refundChanged(entry);
    else if (entry.terminal !== undefined) this.#terminals.find(entry.terminal)?.see(entry);
  }

  #received(entry: JournalEntry<'http.received'>): void {
    const request = this.#requests.get(entry.data.requestId);
    if (request) this.#requested(entry.at, request);
    else this.#operator.received(entry);
  }

  #requested(at: number, request: PosRequest): void {
    const name = this.#named.makeName(request);
    const earlier = this.#findEarlierSale(request);
    const step = { ...this.#stepOf(request), ...this.#tokenOf(request) };
    this.#named.add(request, name);
    this.#learnIds(name, request);
    // The answer to a status request depends on when the request is sent. So a pause before the request is recorded
    // too.
    if ('ask status' in step) this.#recording.pause(at, 5_000);
    if (earlier && isRepetition(request, earlier.request))
      this.#recording.add(at, { 'pay again': earlier.name, as: name });
    else this.#recording.add(at, { ...step, as: name }, findMissingBodyRemark(request));
  }

  /** Finds the earlier sale that was begun with the key of this request. */
  #findEarlierSale(request: PosRequest): ReturnType<NamedRequests['findSale']> {
    const key = findRecordedIdempotencyKey(request);
    return beginsSale(request) && key !== undefined ? this.#named.findSale({ key }) : undefined;
  }

  /** Returns the step for a request. A request to a terminal that does not exist is repeated unchanged. */
  #stepOf(request: PosRequest): Record<string, unknown> {
    const terminal = targetTerminalOf(request);
    if (terminal !== undefined && !this.#terminals.find(terminal))
      return makePlainRequestStep(request, this.#names);
    return stepOfRequest(request, this.#names);
  }

  /** Returns the token field of a step. The journal has no tokens, but the answer shows which token was used. */
  #tokenOf({ answered }: PosRequest): Record<string, unknown> {
    if (answered?.data.status === 401) return { token: 'none' };
    if (answered?.data.status !== 501) return {};
    this.#needsProduction = true;
    return { token: 'production' };
  }

  #learnIds(name: string, request: PosRequest): void {
    const { kind, payment, answered } = request;
    if (['payment', 'charge', 'preauthorize', 'credit'].includes(kind) || readTransactionRequest(request))
      this.#ids.add(payment, `${name}.id`);
    const { id } = asRecord(answered?.data.body);
    if (kind === 'refund' && typeof id === 'string') this.#ids.add(id, `${name}.answer.body.id`);
  }

  #answered(entry: JournalEntry<'http.answered'>): void {
    const one = this.#named.get(entry.data.requestId);
    if (!one) return this.#operator.answered(entry);
    const { name, request } = one;
    if (request.kind === 'credit' && request.payment === undefined) return;
    const expectation = makeAnswerExpectation(request, name);
    if (expectation) this.#recording.expect(entry.at, expectation);
  }

  #hungUp({ at, data }: JournalEntry<'http.hungUp'>): void {
    const one = this.#named.get(data.requestId);
    if (one) this.#recording.add(at, { 'hang up': one.name });
  }

  /** Records that a refund's status changed without a request. Later steps wait for this change. */
  #refundChanged({ seq, at, data: { status } }: JournalEntry<'refund.changed'>): void {
    if (status === 'processing') return;
    const matches = (entry: JournalEntry) =>
      entry.kind === 'refund.changed' && entry.data.status === status && entry.seq <= seq;
    const times = this.#entries.filter(matches).length;
    this.#recording.expect(at, { expect: { journal: { kind: 'refund.changed', data: { status }, times } } });
  }

  #credit(id: string | undefined): ReturnType<ScenarioNameLookup['credit']> {
    const known = this.#environment.credits?.find((one) => one.id === id);
    if (known) return known;
    const made = this.#entries.find((entry) => entry.kind === 'credit.changed' && entry.payment === id);
    if (id === undefined || !made || made.kind !== 'credit.changed') return undefined;
    return { amount: toMajor(made.data.amount, made.data.currency) };
  }

  #useCustomer(id: string): string | undefined {
    if (!this.#environment.contacts) return undefined;
    this.#usedContacts.add(id);
    return id;
  }

  #useBankAccount(id: unknown): string | undefined {
    if (!this.#environment.bankAccounts || typeof id !== 'string') return undefined;
    this.#usedBankAccounts.add(id);
    return id;
  }
}

/**
 * Whether a request repeats an earlier request with the same key. A request with another body is not a repetition. It is
 * a separate payment request that happens to have the same key.
 */
function isRepetition(request: PosRequest, earlier: PosRequest): boolean {
  return earlier.path === request.path && JSON.stringify(earlier.body) === JSON.stringify(request.body);
}

function isPause(step: RecordedStep['step']): boolean {
  return typeof step === 'object' && 'pass' in step;
}
