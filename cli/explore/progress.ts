import type { Explored } from '../../explore/index.ts';

interface Window {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const clearLine = '\r\u001b[K';
const width = 24;
/** Without a terminal a line comes at each tenth. */
const lines = 10;

/** How far an exploration is: a bar in a terminal, a line now and then elsewhere; in both a line for each cause (B388). */
export class ExploreProgress {
  readonly #window: Window;
  #planned = 0;
  #all = 0;
  #done = 0;
  #failed = 0;
  #said = 0;
  #running = '';

  constructor(window: Window) {
    this.#window = window;
  }

  planned(count: number): void {
    this.#planned = count;
    this.#all = count;
    this.#show();
  }

  began(schedule: string): void {
    this.#running = schedule;
    this.#show();
  }

  /** A failure is made again, which takes time and counts nothing. */
  again(schedule: string): void {
    this.#running = `once more: ${schedule}`;
    this.#show();
  }

  ended({ verdict }: Explored, left: number): void {
    const grew = this.#all > this.#planned;
    this.#done++;
    this.#all = Math.max(this.#all, this.#done + left);
    if (verdict.is !== 'survived' && verdict.is !== 'testFails') this.#failed++;
    if (!grew && this.#all > this.#planned)
      this.line(
        `the number grows: what only a fault brings about, such as a further request, is tried with a second fault there`,
      );
    this.#show();
  }

  /** What is to stay above the bar. */
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
