import type { JournalEntry } from '../../shared/journal.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { RecordedEnvironment } from './recorded-environment.ts';
import { findUsedTerminals, targetTerminalOf } from './recorded-requests.ts';
import type { RecordedStepList } from './recording.ts';
import { TerminalRecorder } from './terminal-recorder.ts';

interface RecordedTerminalsOptions {
  readonly entries: readonly JournalEntry[];
  /** The requests of the point of sale. The key is the requestId. */
  readonly requests: ReadonlyMap<string, PosRequest>;
  readonly recording: RecordedStepList;
  readonly terminals: RecordedEnvironment['terminals'];
  /** Whether the scenario has one terminal, so that its steps need not name the terminal. */
  readonly oneTerminal: boolean;
}

/** The terminals at which something happened. A {@link TerminalRecorder} handles the actions at each of them. */
export class RecordedTerminals {
  #recorders: ReadonlyMap<string, TerminalRecorder>;
  /** The poiIds of the terminals. The key is the identifier in the paths of requests. */
  #poiIds: Map<string, string>;

  constructor({ entries, requests, recording, terminals = [], oneTerminal }: RecordedTerminalsOptions) {
    this.#poiIds = new Map([
      ...terminals.map(({ poiId, identifier }) => [identifier, poiId] as const),
      ...findTargetTerminals(entries, requests),
    ]);
    const used = findUsedTerminals(entries, requests, this.#poiIds);
    const isNamed = used.length > 1 && !oneTerminal;
    this.#recorders = new Map(
      used.map((poiId, index) => [
        poiId,
        new TerminalRecorder(poiId, isNamed ? `terminal-${index + 1}` : undefined, entries, recording),
      ]),
    );
  }

  get all(): readonly TerminalRecorder[] {
    return [...this.#recorders.values()];
  }

  find(idOrPoiId: string | undefined): TerminalRecorder | undefined {
    if (idOrPoiId === undefined) return undefined;
    return this.#recorders.get(this.#poiIds.get(idOrPoiId) ?? idOrPoiId);
  }

  /** Returns the identifiers of the terminals, and the placeholder for each of them. */
  placeholders(): { readonly identifier: string; readonly placeholder: string }[] {
    return [...this.#poiIds].flatMap(([identifier, poiId]) => {
      const recorder = this.#recorders.get(poiId);
      if (!recorder) return [];
      const { name } = recorder;
      return [{ identifier, placeholder: name === undefined ? 'terminal.id' : `terminals.${name}.id` }];
    });
  }
}

/** Finds out from the accepted payments to which terminal each identifier in a request's path belongs. */
function findTargetTerminals(
  entries: readonly JournalEntry[],
  requests: ReadonlyMap<string, PosRequest>,
): (readonly [identifier: string, poiId: string])[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'payment.accepted' || entry.terminal === undefined) return [];
    const request = requests.get(entry.data.requestId);
    const identifier = request && targetTerminalOf(request);
    return identifier === undefined ? [] : [[identifier, entry.terminal] as const];
  });
}
