import type { ToolAnswer } from './answer.ts';

/** The arguments of a call of a tool. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A call that is under way. */
export interface ToolCallContext {
  /** Aborts if the agent cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Tells the agent how much of the call is done, so that the agent continues to wait for the answer. */
  progress(done: number, of: number | undefined, says: string): void;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The tool's arguments, as the properties of a JSON schema. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Whether the tool only reads, so that a repeated call does no harm. */
  readonly reads: boolean;
  /** Whether the tool may write temporary files. */
  readonly keepsFiles?: true;
  run(args: Arguments, call: ToolCallContext): Promise<ToolAnswer>;
}

/** Thrown if a tool cannot do what the agent asks. `next` advises the agent what to do. */
export class ToolError extends Error {
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** @throws ToolError if the argument is given but is not a text */
export function readTextArgument(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new ToolError(`"${name}" must be a string`, 'Call the tool again with a string for this argument.');
}

/** @throws ToolError if the argument is given but is not a list of texts */
export function readTextsArgument(args: Arguments, name: string): readonly string[] | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new ToolError(
    `"${name}" must be a list of strings`,
    'Call the tool again with a list of strings for this argument.',
  );
}
