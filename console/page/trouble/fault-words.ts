import type { Fault } from '../../../client/openapi-types.ts';

export type FaultName = Fault['fault'];

export const faultTitles: Readonly<Record<FaultName, string>> = {
  dropAnswer: 'The answer is lost',
  dropRequest: 'The request is lost',
  delayAnswer: 'The answer is late',
  failAnswer: 'The answer is an error',
  delayRequest: 'The request comes late, and its connection is cut',
  duplicateRequest: 'The request comes twice',
  failRequest: 'The request is refused with an error',
  truncateAnswer: 'The answer is cut short',
  slowAnswer: 'The answer comes slowly',
  cutAnswer: 'The connection is cut before the answer',
  holdAnswer: 'The answer is held, and time stands still',
  duplicateEvent: 'The event comes twice',
  reorderEvents: 'The event comes only after the next one',
  delayEvent: 'The event is late',
  loseEvent: 'The event is lost, and sent again',
  forgeEvent: 'A forged event follows',
};

export function activeFaultText(set: Fault): string {
  const { after, times, accountId } = set;
  const howOften = times === null ? 'until you undo it' : times === 1 ? 'once' : `${times} times`;
  const whose = accountId === undefined ? '' : ` of ${accountId}`;
  const first = after > 0 ? `after ${after} more, ` : '';
  return `${whatOf(set)} (${whichOf(set)}${whose}), ${first}${howOften}`;
}

function whatOf(set: Fault): string {
  const name = faultTitles[set.fault];
  switch (set.fault) {
    case 'delayAnswer':
    case 'delayRequest':
    case 'delayEvent':
      return `${name} by ${set.delayMs / 1000} s`;
    case 'cutAnswer':
      return `${name}, after ${set.afterMs / 1000} s`;
    case 'failAnswer':
    case 'failRequest':
      return `${name}: ${set.status}`;
    case 'truncateAnswer':
      return `${name}, after ${set.bytes} bytes`;
    case 'slowAnswer':
      return `${name}, at ${set.bytesPerSecond} bytes a second`;
    case 'duplicateRequest':
      return `${name}, the ${set.answered === 'copy' ? 'copy' : 'first'} is answered`;
    default:
      return name;
  }
}

function whichOf(set: Fault): string {
  if ('endpointId' in set && set.endpointId !== undefined) return `to ${set.endpointId}`;
  if ('method' in set || 'path' in set) return [set.method, set.path].filter(Boolean).join(' ');
  return /Events?$/.test(set.fault) ? 'any event' : 'any request';
}
