const breaking = new Set(['delayRequest', 'cutAnswer', 'cutConnection']);

/** Whether a fault breaks the connection, so that the request gets no answer or only a part of its answer. */
export function isConnectionBreakingFault(fault: string): boolean {
  return fault.startsWith('drop') || breaking.has(fault);
}
