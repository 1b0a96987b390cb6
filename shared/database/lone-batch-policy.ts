/**
 * If this many batches in a row came alone and were written quickly, the policy assumes that the next batch will come
 * alone too and that the disk is quick.
 */
const enough = 8;

/**
 * Decides whether the serving thread writes a batch itself, instead of the separate thread for writing. On a quick
 * disk, one batch is written in less time than the two threads need to wake each other. If several batches come at a
 * time, or if the disk is slow, the separate thread writes, so that the serving thread can continue to serve. A batch
 * is lone if no other batch comes with it, and the previous batch has already ended.
 */
export class BatchThreadPolicy {
  readonly #quickMs: number;
  #inARow = 0;

  /**
   * A write that takes `quickMs` milliseconds or more counts as slow. While the serving thread writes a batch, it
   * serves nothing.
   */
  constructor(quickMs: number) {
    this.#quickMs = quickMs;
  }

  /** Whether the serving thread should write the next batch, if that batch is lone. */
  get mayBeWrittenHere(): boolean {
    return this.#inARow >= enough;
  }

  /** Notes how long a lone batch took, whichever thread wrote it. */
  written(tookMs: number): void {
    this.#inARow = tookMs < this.#quickMs ? this.#inARow + 1 : 0;
  }

  /** Notes that several batches came together, or that a batch came while another batch was being written. */
  interrupted(): void {
    this.#inARow = 0;
  }
}
