/** After this many lone batches in a row, it is assumed that nothing else waits and that the disk is quick. */
const enough = 8;

/**
 * Decides whether the serving thread writes a batch itself although another thread could. To wake that thread and to be
 * woken by it takes longer than to write one batch on a quick disk. But if several batches come at a time, or the disk
 * is slow, serving must go on meanwhile. Batches are lone if each comes by itself, after the one before it has ended.
 */
export class LoneBatchPolicy {
  readonly #quickMs: number;
  #inARow = 0;

  /** While a batch is written here nothing is served, so a disk that takes `quickMs` or longer is not quick. */
  constructor(quickMs: number) {
    this.#quickMs = quickMs;
  }

  /** Whether the serving thread may write the next batch, if that is a lone one. */
  get mayBeWrittenHere(): boolean {
    return this.#inARow >= enough;
  }

  /** Notes how long a lone batch took, whichever thread wrote it. */
  written(tookMs: number): void {
    this.#inARow = tookMs < this.#quickMs ? this.#inARow + 1 : 0;
  }

  /** Notes that batches came together, or while another batch was being written. */
  interrupted(): void {
    this.#inARow = 0;
  }
}
