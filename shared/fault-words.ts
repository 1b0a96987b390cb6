/**
 * Names that people understand, for two kinds of faults: faults between the point of sale and the gateway, and faults
 * in the delivery of an event.
 */
const words: Readonly<Record<string, string>> = {
  dropRequest: 'Request lost',
  delayRequest: 'Request late, connection cut',
  duplicateRequest: 'Request came twice',
  failRequest: 'Request refused with an error',
  dropAnswer: 'Answer lost',
  delayAnswer: 'Answer held back',
  failAnswer: 'Answer replaced by an error',
  truncateAnswer: 'Answer cut short',
  slowAnswer: 'Answer comes slowly',
  cutAnswer: 'Connection cut before the answer',
  holdAnswer: 'Answer held, and time stands still',
  duplicateEvent: 'Event sent twice',
  reorderEvents: 'Event overtaken by the next event',
  delayEvent: 'Event late',
  loseEvent: 'Event lost',
  forgeEvent: 'Event forged',
};

export function faultText(fault: string): string {
  return words[fault] ?? fault;
}
