const breaking = new Set(['delayRequest', 'cutAnswer', 'cutConnection']);

/** Whether a fault breaks the connection, so that the request which met it gets no answer. */
export function breaksConnection(fault: string): boolean {
  return fault.startsWith('drop') || breaking.has(fault);
}
