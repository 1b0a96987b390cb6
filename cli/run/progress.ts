import type { Scenario, ScenarioResult } from '../../scenarios/index.ts';

const clearLine = '\r\u001b[K';
/**
 * The texts that switch line wrapping of the window off and on. Without wrapping, a line stays one line even if it is
 * wider than the window, for example because of wide characters.
 */
const [noWrap, wrap] = ['\u001b[?7l', '\u001b[?7h'];

/**
 * Prints each line at once. In a terminal window, a last line below the other lines shows how many scenarios are done.
 */
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
