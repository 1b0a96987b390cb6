/** A step of a scenario that was run, before what it caused. */
export interface TrafficStep {
  /** As it stands in the file. */
  readonly text: string;
  readonly place: string;
  /** The journal's last seq before it began. */
  readonly seq: number;
  readonly failed?: boolean;
}
