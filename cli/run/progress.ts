import type { Scenario, ScenarioResult } from '../../scenarios/index.ts';

/** The part of a terminal window or a pipe to which progress is written. */
interface Window {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const clearLine = '\r\u001b[K';
/**
 * Switches line wrapping off and on, so that a line wider than the window, for example because of wide characters,
 * stays one line.
 */
const [noWrap, wrap] = ['\u001b[?7l', '\u001b[?7h'];

/** Prints lines as they come. In a terminal window, one line below them says how far the run is. */
export class RunProgress {
  #window: Window;
  #all: number;
  #done = 0;
  #failed = 0;
  #running: Scenario[] = [];

  constructor(all: number, window: Window = process.stdout) {
    this.#all = all;
    this.#window = window;
  }

  started(scenario: Scenario): void {
    this.#running.push(scenario);
    this.#show();
  }

  ended({ scenario, verdict }: ScenarioResult): void {
    this.#done++;
    if (verdict === 'failed') this.#failed++;
    this.#running = this.#running.toSpliced(this.#running.indexOf(scenario), 1);
    this.#show();
  }

  print(text: string): void {
    this.#window.write(`${this.#window.isTTY ? clearLine : ''}${text}\n`);
    this.#show();
  }

  end(): void {
    if (this.#window.isTTY) this.#window.write(clearLine);
  }

  #show(): void {
    if (!this.#window.isTTY) return;
    const [oldest] = this.#running;
    const parts = [
      `${this.#done} of ${this.#all}`,
      this.#failed > 0 ? `${this.#failed} failed` : undefined,
      oldest?.name,
    ];
    const line = parts.filter(Boolean).join(' · ');
    this.#window.write(`${clearLine}${noWrap}${line.slice(0, (this.#window.columns ?? 80) - 1)}${wrap}`);
  }
}
