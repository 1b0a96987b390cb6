import type { Scenario, ScenarioResult } from '../../scenarios/index.ts';

const clearLine = '\r\u001b[K';
/**
 * Switches line wrapping off and on. Without wrapping, a line that is wider than the window stays one line, for example
 * one with wide characters.
 */
const [noWrap, wrap] = ['\u001b[?7l', '\u001b[?7h'];

/** Prints lines as they come. In a terminal window, one line below them says how far the run is. */
export class RunProgress {
  #all: number;
  #done = 0;
  #failed = 0;
  #running: Scenario[] = [];

  constructor(all: number) {
    this.#all = all;
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
    process.stdout.write(`${process.stdout.isTTY ? clearLine : ''}${text}\n`);
    this.#show();
  }

  end(): void {
    if (process.stdout.isTTY) process.stdout.write(clearLine);
  }

  #show(): void {
    if (!process.stdout.isTTY) return;
    const [oldest] = this.#running;
    const parts = [
      `${this.#done} of ${this.#all}`,
      this.#failed > 0 ? `${this.#failed} failed` : undefined,
      oldest?.name,
    ];
    const line = parts.filter(Boolean).join(' · ');
    process.stdout.write(`${clearLine}${noWrap}${line.slice(0, (process.stdout.columns ?? 80) - 1)}${wrap}`);
  }
}
