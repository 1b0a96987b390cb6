import type { FaultName } from './fault-words.ts';
import { parseSecondsAsMs } from './fields.tsx';

/**
 * The faults that the console offers. It does not offer `holdAnswer`, which stops the time of the whole gateway (B293).
 */
export type SettableFaultName = Exclude<FaultName, 'holdAnswer'>;

/** A field of a fault, in which the user types or chooses a value. */
export interface FaultField {
  /** The name of the field in the control API. */
  readonly name: 'delayMs' | 'afterMs' | 'status' | 'bytes' | 'bytesPerSecond' | 'answered';
  readonly label: string;
  readonly initial: string;
  /** The values that the user can choose from. If absent, the user types the value. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Reads the typed text; returns undefined if it is not a valid value. */
  read(text: string): unknown;
  /** A description of valid values, for a value that the user types. */
  readonly wanted?: string;
}

const seconds = (name: 'delayMs' | 'afterMs', label: string, initial: string): FaultField => ({
  name,
  label,
  initial,
  read: (text) => parseSecondsAsMs(text) || undefined,
  wanted: 'Type a number of seconds, such as 45',
});
const number = (name: 'bytes' | 'bytesPerSecond', label: string, initial: string): FaultField => ({
  name,
  label,
  initial,
  read: parseWholeNumber,
  wanted: 'Type a whole number of bytes, such as 20',
});
const status = (...statuses: number[]): FaultField => ({
  name: 'status',
  label: 'which',
  initial: '503',
  choices: Object.fromEntries(statuses.map((each) => [each, String(each)])),
  read: Number,
});

/** The fields and the effect of each kind of fault. */
export const faultFieldsAndEffects: Readonly<
  Record<SettableFaultName, { readonly field?: FaultField; readonly explanation: string }>
> = {
  dropAnswer: { explanation: 'The request is executed. The point of sale must ask for the outcome.' },
  dropRequest: {
    explanation: 'The request never reaches the gateway, and the connection of the point of sale breaks.',
  },
  delayAnswer: {
    field: seconds('delayMs', 'by seconds', '45'),
    explanation: 'The request is executed. The point of sale must ask for the outcome.',
  },
  failAnswer: {
    field: status(500, 502, 503, 504),
    explanation: 'The request is executed. The point of sale must ask for the outcome.',
  },
  delayRequest: {
    field: seconds('delayMs', 'by seconds', '45'),
    explanation: 'The connection of the point of sale breaks, and the request is executed later.',
  },
  duplicateRequest: {
    field: {
      name: 'answered',
      label: 'answered is',
      initial: 'first',
      choices: { first: 'the first', copy: 'the copy' },
      read: (text) => text,
    },
    explanation: 'The request and a copy of it, with the same key, are checked and executed.',
  },
  failRequest: { field: status(429, 500, 502, 503, 504), explanation: 'The request is not executed.' },
  truncateAnswer: {
    field: number('bytes', 'after bytes', '20'),
    explanation: 'The request is executed. The connection breaks after this many bytes of the answer.',
  },
  slowAnswer: {
    field: number('bytesPerSecond', 'bytes in a second', '10'),
    explanation: 'The request is executed; its answer comes slowly.',
  },
  cutAnswer: {
    field: seconds('afterMs', 'after seconds', '60'),
    explanation:
      'The connection breaks if there is no answer in this time, as at a proxy with a time limit. If the request began a payment, the payment continues.',
  },
  duplicateEvent: {
    explanation: 'The event is sent twice, with the same webhook-id: the receiver must act only once.',
  },
  reorderEvents: {
    explanation:
      'This event and the next event are sent in the wrong order, even if both are about one payment. If no event follows, this event is sent after a minute.',
  },
  delayEvent: {
    field: seconds('delayMs', 'by seconds', '45'),
    explanation: 'Later events of the same debit, refund or credit wait for this event.',
  },
  loseEvent: {
    explanation:
      'The receiver never sees this attempt to deliver the event; the next attempt follows after some seconds.',
  },
  forgeEvent: {
    explanation:
      'The forged event has another amount and a wrong signature: the receiver must answer it with an error.',
  },
};

export const isEventFault = (fault: SettableFaultName) => /Events?$/.test(fault);

export function parseWholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
