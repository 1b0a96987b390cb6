import type { ExploredSchedule } from '../../explore/index.ts';

interface Window {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const clearLine = '\r\u001b[K';
const width = 24;
/** The number of progress lines that are printed if the output is not a terminal window. */
const lines = 10;

/**
 * Shows how far an exploration is: in a terminal window as a bar, elsewhere as a line now and then. In both forms, each
 * cause of failures gets a line too (B388).
 */
export class ExploreProgress {
  readonly #window: Window;
  readonly #pairs: boolean;
  #planned = 0;
  #all = 0;
  #begun = 0;
  #done = 0;
  #failed = 0;
  #said = 0;
  #running = '';
  #isRepeating = false;

  constructor(window: Window, { pairs }: { pairs: boolean }) {
    this.#window = window;
    this.#pairs = pairs;
  }

  planned(count: number): void {
    this.#planned = count;
    this.#all = count;
    this.#show();
  }

  began(schedule: string): void {
    this.#begun++;
    this.#running = schedule;
    this.#show();
  }

  /**
   * Shows that a failure is being reproduced. Otherwise explore would seem to stand still, because the reproduction
   * changes no counter.
   */
  again(schedule: string): void {
    if (!this.#isRepeating)
      this.line(
        'each failure is repeated three times before it is reported; these repetitions take time, and the progress does not count them',
      );
    this.#isRepeating = true;
    this.#running = `once more: ${schedule}`;
    this.#show();
  }

  ended({ verdict }: ExploredSchedule, left: number): void {
    const grew = this.#all > this.#planned;
    this.#done++;
    this.#all = Math.max(this.#all, this.#begun + left);
    if (verdict.is !== 'survived' && verdict.is !== 'testFails') this.#failed++;
    if (!grew && this.#all > this.#planned)
      this.line(
        `the number of runs grows: if a fault leads to something new, such as another request, further runs repeat this fault and try a second fault at the new request, or at another new moment of the sale.${this.#pairs ? ' Pairs of faults are added too.' : ''}`,
      );
    this.#show();
  }

  /** Prints a line that stays above the bar. */
  line(text: string): void {
    this.#window.write(`${this.#window.isTTY ? clearLine : ''}  ${text}\n`);
    if (this.#window.isTTY) this.#show();
  }

  end(): void {
    if (this.#window.isTTY) this.#window.write(clearLine);
  }

  #show(): void {
    const share = this.#all === 0 ? 0 : this.#done / this.#all;
    const more = this.#all > this.#planned ? ` (${this.#planned} + ${this.#all - this.#planned})` : '';
    const counted = `${this.#done} of ${this.#all}${more}${this.#failed > 0 ? `, ${this.#failed} failed` : ''}`;
    if (this.#window.isTTY) {
      const full = Math.round(share * width);
      this.#window.write(
        `${clearLine}  ${'█'.repeat(full)}${'░'.repeat(width - full)} ${counted}  ${this.#running.slice(0, 40)}`,
      );
    } else if (Math.floor(share * lines) > this.#said) {
      this.#said = Math.floor(share * lines);
      this.#window.write(`  ${counted}\n`);
    }
  }
}
