/** Where the batches of an SQLite file are written: on the thread that serves requests, or on a separate one. */
export interface BatchThreadSettings {
  /**
   * The separate thread is started after this many batches. The default is 50, because starting the thread costs more
   * time than writing 50 batches.
   */
  threadAfter?: number;
  /**
   * If a lone batch takes this many milliseconds or more, the disk counts as slow, and the separate thread writes lone
   * batches too. The default is 1.
   */
  quickMs?: number;
}
