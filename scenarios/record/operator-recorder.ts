import type { JournalEntry } from '../../shared/journal.ts';
import { asRecord } from '../../shared/journal-fields.ts';
import type { IdPlaceholders } from './known-ids.ts';
import type { NamedRequests } from './named-requests.ts';
import { readGiveBackOutcome, stepOfCall } from './operator-steps.ts';
import type { RecordedTerminals } from './recorded-terminals.ts';
import type { RecordedStepList } from './recording.ts';

/** The IBAN that the customer of the scenario enters. It is a published example. */
const exampleIban = 'DE89370400440532013000';

interface OperatorRecorderOptions {
  readonly entries: readonly JournalEntry[];
  readonly recording: RecordedStepList;
  readonly terminals: RecordedTerminals;
  readonly ids: IdPlaceholders;
  readonly named: NamedRequests;
}

/** Writes the calls that a test bench made over the control API in the words of a scenario. */
export class OperatorRecorder {
  #options: OperatorRecorderOptions;
  /** The names that the scenario uses for refunds at the terminal. The key is the requestId. */
  #giveBackNames = new Map<string, string>();

  constructor(options: OperatorRecorderOptions) {
    this.#options = options;
  }

  /** Records a call, if the call succeeded. */
  received({ at, data: { requestId, method, path, body, headers } }: JournalEntry<'http.received'>): void {
    if (!path.startsWith('/control/')) return;
    const { entries, recording, terminals, ids } = this.#options;
    const answer = entries.find(
      (entry): entry is JournalEntry<'http.answered'> =>
        entry.kind === 'http.answered' && entry.data.requestId === requestId,
    );
    if (answer && answer.data.status >= 400) return;
    const key = headers?.['idempotency-key'];
    const call = { method, path: path.slice('/control'.length).split('?')[0] ?? '', body, key };
    const step = stepOfCall(call, { ids, terminal: (id) => terminals.find(id)?.name });
    if (step && 'refund at the terminal' in step)
      this.#recordGiveBack(at, requestId, step, asRecord(answer?.data.body).identifier);
    else if (step) recording.add(at, step);
  }

  /**
   * Records that the operator gives money back. Like a request of a point of sale, this request stays open until the
   * terminal has finished.
   */
  #recordGiveBack(at: number, requestId: string, step: Record<string, unknown>, identifier: unknown): void {
    const { recording, ids, named } = this.#options;
    const name = named.makeNumberedName('back');
    this.#giveBackNames.set(requestId, name);
    ids.add(typeof identifier === 'string' ? identifier : undefined, `${name}.id`);
    recording.add(at, { ...step, as: name });
  }

  /** Records the outcome of a refund at the terminal. */
  answered({ at, data: { requestId, body } }: JournalEntry<'http.answered'>): void {
    const name = this.#giveBackNames.get(requestId);
    const outcome = name === undefined ? undefined : readGiveBackOutcome(body);
    if (outcome !== undefined) this.#options.recording.expect(at, { expect: outcome, of: name });
  }

  /**
   * Records that a link's customer accepted the payment. The customer in the scenario accepts it without a browser.
   */
  creditChanged({ at, payment, data }: JournalEntry<'credit.changed'>): void {
    const { recording, ids } = this.#options;
    const credit = ids.put(payment);
    if (credit === payment || !['completed', 'failed'].includes(data.state)) return;
    const body = { kind: 'iban', iban: exampleIban };
    recording.add(at, { control: `POST /credits/${credit}/accept`, body });
  }
}
