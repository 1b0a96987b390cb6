import type { z } from 'zod';
import { makeFaultKindSchemas } from '../../faults/fault-kind-schemas.ts';
import { requestTargetFields } from '../../faults/fault-target.ts';
import type { FaultyExchange } from '../faulty-exchange.ts';
import type { AnswerReceiver } from '../ready-answer.ts';
import { cutAnswerFault } from './cut-answer.ts';
import { delayAnswerFault } from './delay-answer.ts';
import { delayRequestFault } from './delay-request.ts';
import { dropAnswerFault } from './drop-answer.ts';
import { dropRequestFault } from './drop-request.ts';
import { duplicateRequestFault } from './duplicate-request.ts';
import { failAnswerFault } from './fail-answer.ts';
import { failRequestFault } from './fail-request.ts';
import { holdAnswerFault } from './hold-answer.ts';
import type { RequestFaultKind } from './request-fault.ts';
import { slowAnswerFault } from './slow-answer.ts';
import { truncateAnswerFault } from './truncate-answer.ts';

/** All kinds of faults of a request. Each kind is in a file of its own and has a line here. */
const kinds = [
  dropRequestFault,
  delayRequestFault,
  duplicateRequestFault,
  failRequestFault,
  dropAnswerFault,
  delayAnswerFault,
  failAnswerFault,
  truncateAnswerFault,
  slowAnswerFault,
  cutAnswerFault,
  holdAnswerFault,
] as const;

/** Makes a schema for each kind of fault. Each schema has the fields of its kind and the fields in `which`. */
export function makeRequestFaultSchemas<const Which extends z.ZodRawShape>(which: Which) {
  const shapes = kinds.map(({ shape }) => shape);
  return makeFaultKindSchemas({ ...which, ...requestTargetFields }, shapes);
}

const byName = new Map<string, RequestFaultKind>(
  kinds.map((kind) => [kind.shape.fault.value, kind as unknown as RequestFaultKind]),
);

/** The names of all kinds of faults of a request. */
export const requestFaultNames: ReadonlySet<string> = new Set(byName.keys());

/** Lets a fault affect a request; see {@link RequestFaultKind}. */
export function applyFaultToExchange(
  fault: { readonly fault: string },
  exchange: FaultyExchange,
): AnswerReceiver | 'over' | undefined {
  return byName.get(fault.fault)?.meet(exchange, fault);
}
