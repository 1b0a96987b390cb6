import type { RecordedEnvironment } from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { ControlledGateway } from '../../stack/index.ts';
import { beginEnvironmentReading } from './recorded-environment.ts';

/**
 * Records what happens at a gateway of this process from now on. `end` returns the recording as the text of a scenario.
 */
export class GatewayRecording {
  #entries: JournalEntry[] = []; // the journal itself forgets its oldest entries
  #stop: () => void;
  #environment: Promise<() => Promise<RecordedEnvironment>>;

  constructor(gateway: ControlledGateway & { readonly runtime: Runtime }) {
    void gateway.runtime.journal.complete();
    this.#stop = gateway.runtime.journal.listen((entry) => this.#entries.push(entry));
    this.#environment = beginEnvironmentReading(gateway);
    this.#environment.catch(() => {}); // `end` reports the error
  }

  async end(name = 'Recorded'): Promise<string> {
    this.#stop();
    const environment = await (await this.#environment)();
    const { recordScenario } = await import('../../scenarios/index.ts'); // only recordings need this module
    return recordScenario(this.#entries, { ...environment, name });
  }
}
