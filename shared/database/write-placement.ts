/** Where the batches of an SQLite file are written: on the thread that serves requests, or on a separate one. */
export interface WritePlacement {
  /**
   * After this many batches, a separate thread writes them. The default is 50, because starting the thread costs more
   * than 50 batches.
   */
  threadAfter?: number;
  /** A write that takes this many milliseconds or more is left to the thread, even if it is a lone one; 1 if absent. */
  quickMs?: number;
}
