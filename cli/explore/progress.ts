import type { Explored } from '../../explore/index.ts';

interface Window {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const clearLine = '\r\u001b[K';
const width = 24;
/** Without a terminal a line comes at each tenth. */
const lines = 10;

/** How far an exploration is: a bar in a terminal, a line now and then elsewhere. */
export class ExploreProgress {
  readonly #window: Window;
  #all = 0;
  #done = 0;
  #failed = 0;
  #said = 0;
  #running = '';

  constructor(window: Window) {
    this.#window = window;
  }

  planned(count: number): void {
    this.#all = count;
    this.#show();
  }

  began(schedule: string): void {
    this.#running = schedule;
    this.#show();
  }

  ended({ verdict }: Explored, left: number): void {
    this.#done++;
    this.#all = Math.max(this.#all, this.#done + left);
    if (verdict.is !== 'survived' && verdict.is !== 'testFails') this.#failed++;
    this.#show();
  }

  end(): void {
    if (this.#window.isTTY) this.#window.write(clearLine);
  }

  #show(): void {
    const share = this.#all === 0 ? 0 : this.#done / this.#all;
    const counted = `${this.#done} of ${this.#all}${this.#failed > 0 ? `, ${this.#failed} failed` : ''}`;
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
