import type { Said } from './answer.ts';

/** The arguments of a call of a tool. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A call that is under way. */
export interface Call {
  /** Aborts if the agent cancels it, or goes away. */
  readonly signal: AbortSignal;
  /** Says how far it is, so that the agent waits on. */
  progress(done: number, of: number | undefined, says: string): void;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Its arguments, as the properties of a JSON schema. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Whether it only reads, so that calling it again does no harm. */
  readonly reads: boolean;
  run(args: Arguments, call: Call): Promise<Said>;
}

/** An agent's mistake or an obstacle, with the advice for what to do next. */
export class ToolError extends Error {
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** @throws ToolError if it is given and no text */
export function textArgument(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new ToolError(`"${name}" must be a text`, 'Call it again with a text there.');
}

/** @throws ToolError if it is given and no list of texts */
export function textsArgument(args: Arguments, name: string): readonly string[] | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new ToolError(`"${name}" must be a list of texts`, 'Call it again with such a list there.');
}
