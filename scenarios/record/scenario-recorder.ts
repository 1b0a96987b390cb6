import type { JournalEntry } from '../../shared/journal.ts';
import { asRecord, readEntryField } from '../../shared/journal-fields.ts';
import { toMajor } from '../../shared/money.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { readRequests } from '../../shared/requests/read-requests.ts';
import { hasTransactionId, readBeginningMessage } from './adyen-steps.ts';
import { makeFinalExpectations, webhookNamesById } from './final-expectations.ts';
import { IdPlaceholders } from './known-ids.ts';
import { outcomeOfCall, stepOfCall } from './operator-steps.ts';
import { expectationOf, makePlainRequestStep, type ScenarioNames, stepOfRequest } from './pos-steps.ts';
import { needsOf, type RecordedEnvironment } from './recorded-environment.ts';
import { findUsedTerminals, recordedKeyOf, remarkOf, targetTerminalOf } from './recorded-requests.ts';
import { type RecordedStep, Recording } from './recording.ts';
import { TerminalRecorder } from './terminal-recorder.ts';

/** The IBAN that the customer of the scenario enters. It is a published example. */
const exampleIban = 'DE89370400440532013000';

/** A request of a point of sale, and its name in the scenario. */
interface NamedRequest {
  readonly name: string;
  readonly request: PosRequest;
}

/**
 * Makes the steps of a scenario from the entries of a journal, one entry after the other. A {@link TerminalRecorder}
 * handles the actions at each terminal.
 */
export class ScenarioRecorder {
  #entries: readonly JournalEntry[];
  #environment: RecordedEnvironment;
  #requests: Map<string, PosRequest>;
  #recording = new Recording();
  #terminals: Map<string, TerminalRecorder>;
  #poiIdOf: Map<string, string>;
  /** The named requests. The key is the requestId. */
  #named = new Map<string, NamedRequest>();
  #sales: NamedRequest[] = [];
  #counts = new Map<string, number>();
  /** The names that the scenario uses for refunds at the terminal. The key is the requestId. */
  #givenBack = new Map<string, string>();
  #names: ScenarioNames;
  #ids = new IdPlaceholders();
  #used = { contacts: new Set<string>(), bankAccounts: new Set<string>() };
  #production = false;

  constructor(
    entries: readonly JournalEntry[],
    { oneTerminal = false, ...environment }: RecordedEnvironment & { oneTerminal?: boolean },
  ) {
    this.#entries = entries;
    this.#environment = environment;
    this.#requests = new Map(readRequests(entries).map((request) => [request.requestId, request]));
    this.#poiIdOf = new Map(
      (environment.terminals ?? []).map(({ poiId, identifier }) => [identifier, poiId]),
    );
    for (const entry of entries) this.#learn(entry);
    const poiIds = findUsedTerminals(entries, this.#requests, this.#poiIdOf);
    const name = (index: number) => (poiIds.length > 1 && !oneTerminal ? `terminal-${index + 1}` : undefined);
    this.#terminals = new Map(
      poiIds.map((poiId, index) => [
        poiId,
        new TerminalRecorder(poiId, name(index), entries, this.#recording),
      ]),
    );
    for (const [identifier, poiId] of this.#poiIdOf) {
      const acts = this.#terminals.get(poiId);
      if (acts)
        this.#ids.add(identifier, acts.name === undefined ? 'terminal.id' : `terminals.${acts.name}.id`);
    }
    this.#names = {
      terminal: (request) => this.#terminalOf(targetTerminalOf(request))?.name,
      sale: (of) => this.#saleOf(of)?.name,
      customer: (id) => (environment.contacts ? note(this.#used.contacts, id) : undefined),
      bankAccount: (id) =>
        environment.bankAccounts && typeof id === 'string' ? note(this.#used.bankAccounts, id) : undefined,
      credit: (id) => this.#credit(id),
      ids: this.#ids,
    };
  }

  record(ending?: readonly Record<string, unknown>[]): {
    needs: Record<string, unknown>;
    steps: RecordedStep[];
  } {
    for (const entry of this.#entries) this.#see(entry);
    const at = this.#entries.at(-1)?.at ?? 0;
    const last = ending ?? makeFinalExpectations(this.#entries, [...this.#terminals.values()]);
    this.#recording.expect(at, ...last);
    const accepted = this.#entries.find((entry) => entry.kind === 'payment.accepted');
    const needs = needsOf(this.#environment, {
      terminals: [...this.#terminals.values()],
      ...this.#used,
      currency: accepted && readEntryField(accepted, 'currency'),
    });
    const webhooks = webhookNamesById(this.#entries);
    return {
      needs: {
        ...needs,
        ...(this.#production ? { production: true } : {}),
        ...([...this.#terminals.values()].some(({ hadToBeQuick }) => hadToBeQuick)
          ? { pacing: 'natural' }
          : {}),
        ...(webhooks.size > 0 ? { webhooks: [...webhooks.values()] } : {}),
      },
      steps: this.#recording.steps,
    };
  }

  /**
   * Returns the steps. The key is the seq of the journal entry at which the step was added. Several keys of a terminal
   * may make one step, for example the digits of a PIN. For these keys, only one entry is in the map.
   */
  stepsByEntry(): Map<number, RecordedStep[]> {
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

  /** Records to which terminal the identifier in a request's path belongs. */
  #learn(entry: JournalEntry): void {
    if (entry.kind !== 'payment.accepted' || entry.terminal === undefined) return;
    const request = this.#requests.get(entry.data.requestId);
    const identifier = request && targetTerminalOf(request);
    if (identifier !== undefined) this.#poiIdOf.set(identifier, entry.terminal);
  }

  #see(entry: JournalEntry): void {
    if (entry.kind === 'http.received') this.#received(entry);
    else if (entry.kind === 'http.answered') this.#answered(entry);
    else if (entry.kind === 'http.hungUp') this.#hungUp(entry);
    else if (entry.kind === 'clock.advanced') this.#recording.pass(entry.at, entry.data.byMs);
    else if (entry.kind === 'credit.changed') this.#creditChanged(entry);
    else if (entry.kind === 'refund.changed') this.#refundChanged(entry);
    else if (entry.terminal !== undefined) this.#terminals.get(entry.terminal)?.see(entry);
  }

  #received(entry: JournalEntry<'http.received'>): void {
    const request = this.#requests.get(entry.data.requestId);
    if (!request) return this.#operated(entry);
    const name = this.#nameOf(request);
    const { at } = entry;
    const begins =
      ['payment', 'charge', 'preauthorize'].includes(request.kind) || readBeginningMessage(request);
    const key = recordedKeyOf(request);
    const earlier = begins && key !== undefined ? this.#saleOf({ key }) : undefined;
    const step = { ...this.#stepOf(request), ...this.#tokenOf(request) };
    const named = { name, request };
    this.#named.set(request.requestId, named);
    if (begins) this.#sales.push(named);
    this.#learnIds(name, request);
    // The answer to a status request depends on when the request is sent. So a pause before the request is recorded
    // too.
    if ('ask status' in step) this.#recording.pause(at, 5_000);
    // A request with another body is not a repetition. It is a separate payment request that happens to have the same
    // key.
    const before = earlier?.request;
    if (
      before &&
      before.path === request.path &&
      JSON.stringify(before.body) === JSON.stringify(request.body)
    )
      this.#recording.add(at, { 'pay again': earlier.name, as: name });
    else this.#recording.add(at, { ...step, as: name }, remarkOf(request));
  }

  /** Returns the step for a request. A request to a terminal that does not exist is repeated unchanged. */
  #stepOf(request: PosRequest): Record<string, unknown> {
    const terminal = targetTerminalOf(request);
    if (terminal !== undefined && !this.#terminalOf(terminal))
      return makePlainRequestStep(request, this.#names);
    return stepOfRequest(request, this.#names);
  }

  /** Returns the token field of a step. The journal has no tokens, but the answer shows which token was used. */
  #tokenOf({ answered }: PosRequest): Record<string, unknown> {
    if (answered?.data.status === 401) return { token: 'none' };
    if (answered?.data.status !== 501) return {};
    this.#production = true;
    return { token: 'production' };
  }

  #learnIds(name: string, request: PosRequest): void {
    const { kind, payment, answered } = request;
    if (['payment', 'charge', 'preauthorize', 'credit'].includes(kind) || readBeginningMessage(request))
      this.#ids.add(payment, `${name}.id`);
    const { id } = asRecord(answered?.data.body);
    if (kind === 'refund' && typeof id === 'string') this.#ids.add(id, `${name}.answer.body.id`);
  }

  #answered({ at, data }: JournalEntry<'http.answered'>): void {
    const one = this.#named.get(data.requestId);
    if (one?.request.kind === 'credit' && one.request.payment === undefined) return;
    const back = this.#givenBack.get(data.requestId);
    const outcome = back === undefined ? undefined : outcomeOfCall(data.body);
    if (outcome !== undefined) this.#recording.expect(at, { expect: outcome, of: back });
    const expectation = one && expectationOf(one.request, one.name);
    if (expectation) this.#recording.expect(at, expectation);
  }

  #hungUp({ at, data }: JournalEntry<'http.hungUp'>): void {
    const one = this.#named.get(data.requestId);
    if (one) this.#recording.add(at, { 'hang up': one.name });
  }

  /** Records a call that a test bench made over the control API, if the call succeeded. */
  #operated({ at, data: { requestId, method, path, body, headers } }: JournalEntry<'http.received'>): void {
    if (!path.startsWith('/control/')) return;
    const answer = this.#entries.find(
      (entry) => entry.kind === 'http.answered' && entry.data.requestId === requestId,
    );
    if (answer && Number(readEntryField(answer, 'status')) >= 400) return;
    const key = headers?.['idempotency-key'];
    const call = { method, path: path.slice('/control'.length).split('?')[0] ?? '', body, key };
    const terminal = (id: string) => this.#terminalOf(id)?.name;
    const step = stepOfCall(call, { ids: this.#ids, terminal });
    if (step && 'refund at the terminal' in step) this.#refunded(at, requestId, step, answer);
    else if (step) this.#recording.add(at, step);
  }

  /**
   * Records that the operator gives money back. Like a request of a point of sale, this request stays open until the
   * terminal has finished.
   */
  #refunded(
    at: number,
    requestId: string,
    step: Record<string, unknown>,
    answer: JournalEntry | undefined,
  ): void {
    const name = this.#numbered('back');
    this.#givenBack.set(requestId, name);
    const { identifier } = asRecord(answer && 'body' in answer.data ? answer.data.body : undefined);
    this.#ids.add(typeof identifier === 'string' ? identifier : undefined, `${name}.id`);
    this.#recording.add(at, { ...step, as: name });
  }

  /**
   * Records that a link's customer accepted the payment. The customer in the scenario accepts it without a browser.
   */
  #creditChanged({ at, payment, data }: JournalEntry<'credit.changed'>): void {
    const credit = this.#ids.put(payment);
    if (credit === payment || !['completed', 'failed'].includes(data.state)) return;
    const body = { kind: 'iban', iban: exampleIban };
    this.#recording.add(at, { control: `POST /credits/${credit}/accept`, body });
  }

  /** Records that a refund's status changed without a request. Later steps wait for this change. */
  #refundChanged({ seq, at, data: { status } }: JournalEntry<'refund.changed'>): void {
    if (status === 'processing') return;
    const matches = (entry: JournalEntry) =>
      entry.kind === 'refund.changed' && entry.data.status === status && entry.seq <= seq;
    const times = this.#entries.filter(matches).length;
    this.#recording.expect(at, { expect: { journal: { kind: 'refund.changed', data: { status }, times } } });
  }

  #credit(id: string | undefined): ReturnType<ScenarioNames['credit']> {
    const known = this.#environment.credits?.find((one) => one.id === id);
    if (known) return known;
    const made = this.#entries.find((entry) => entry.kind === 'credit.changed' && entry.payment === id);
    if (id === undefined || !made || made.kind !== 'credit.changed') return undefined;
    return { amount: toMajor(made.data.amount, made.data.currency) };
  }

  #terminalOf(idOrPoiId: string | undefined): TerminalRecorder | undefined {
    return this.#terminals.get(this.#poiIdOf.get(idOrPoiId ?? '') ?? idOrPoiId ?? '');
  }

  /** Names the first request `payment`, the next `payment-2`, and so on for each kind. */
  #nameOf(request: PosRequest): string {
    const { kind } = request;
    const begins = readBeginningMessage(request)?.begins;
    if (begins === 'refund' || begins === 'reversal') return this.#numbered('back');
    return this.#numbered(({ payment: 'sale', other: 'request' } as Record<string, string>)[kind] ?? kind);
  }

  #numbered(word: string): string {
    const count = (this.#counts.get(word) ?? 0) + 1;
    this.#counts.set(word, count);
    return count === 1 ? word : `${word}-${count}`;
  }

  #saleOf({ key, payment, transaction }: Parameters<ScenarioNames['sale']>[0]): NamedRequest | undefined {
    return this.#sales.find(
      ({ request }) =>
        (key !== undefined && recordedKeyOf(request) === key) ||
        (payment !== undefined && request.payment === payment) ||
        (transaction !== undefined && hasTransactionId(request, transaction)),
    );
  }
}

function isPause(step: RecordedStep['step']): boolean {
  return typeof step === 'object' && 'pass' in step;
}

function note(used: Set<string>, id: string): string {
  used.add(id);
  return id;
}
