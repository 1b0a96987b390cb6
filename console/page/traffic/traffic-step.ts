/** A step of a scenario that was run, shown before the entries that it caused. */
export interface TrafficStep {
  /** The step as it is written in the file. */
  readonly text: string;
  readonly place: string;
  /** The seq of the last journal entry before the step began. */
  readonly seq: number;
  readonly failed?: boolean;
}
