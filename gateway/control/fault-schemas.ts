import { z } from 'zod';
import { makeRequestFaultSchemas } from '../http/faults/kinds.ts';
import { makeEventFaultSchemas } from '../webhooks/event-faults.ts';

/** A fault that a test requests. The fault affects requests and answers, or events that are sent to webhooks. */
export const faultInputSchema = z
  .discriminatedUnion('fault', [...makeRequestFaultSchemas({}), ...makeEventFaultSchemas({})])
  .meta({ id: 'FaultInput' });

const set = { id: z.uuid() };

export const faultSchema = z
  .discriminatedUnion('fault', [...makeRequestFaultSchemas(set), ...makeEventFaultSchemas(set)])
  .meta({
    id: 'Fault',
    description: 'A fault, and the number of requests or events that the fault still affects',
  });
