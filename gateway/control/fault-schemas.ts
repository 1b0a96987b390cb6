import { z } from 'zod';
import { requestFaults } from '../http/faults/kinds.ts';
import { eventFaultSchemas } from '../webhooks/event-faults.ts';

/** A fault that a test requests. It affects requests and answers, or events on their way to webhooks. */
export const faultInput = z
  .discriminatedUnion('fault', [...requestFaults({}), ...eventFaultSchemas({})])
  .meta({ id: 'FaultInput' });

const set = { id: z.uuid() };

export const fault = z
  .discriminatedUnion('fault', [...requestFaults(set), ...eventFaultSchemas(set)])
  .meta({ id: 'Fault', description: 'A fault, and how many requests or events it still affects' });
