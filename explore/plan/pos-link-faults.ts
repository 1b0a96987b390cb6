import type { FaultKind } from './fault-kind.ts';
import { requestPoints } from './request-points.ts';
import {
  durationMsInFaultName,
  kindInFaultName,
  type PlannedFault,
  parameterInFaultName,
} from './schedule.ts';
import { occurrenceFields } from './terminal-faults.ts';

/** The fields of a fault in the body of `POST /control/faults`, without the fields that select the requests. */
type Setting = Record<string, string | number>;

interface LinkFault {
  /**
   * The names of the faults that are tried at requests which move money or stop a payment. `asking` has the names of
   * the faults for all other requests.
   */
  readonly acting: readonly string[];
  /**
   * Whether the fault is tried only at requests that the gateway executes once even if they arrive several times. At
   * other requests, no point of sale could prevent the harm of this fault.
   */
  readonly onlyRepeatable?: true;
  readonly asking: readonly string[];
  says(fault: string): string;
  setting(fault: string): Setting;
  readonly realMs?: number;
}

const seconds = (fault: string) => (durationMsInFaultName(fault) ?? 0) / 1_000;
const status = (fault: string) => Number(parameterInFaultName(fault));
const delay = (fault: string) => ({ delayMs: durationMsInFaultName(fault) ?? 0 });

const table: Readonly<Record<string, LinkFault>> = {
  dropRequest: {
    acting: ['dropRequest'],
    asking: ['dropRequest'],
    says: () => 'the request is lost, and the connection breaks',
    setting: () => ({}),
  },
  failRequest: {
    acting: ['failRequest-503', 'failRequest-429'],
    asking: [],
    says: (fault) => `the request is refused with ${parameterInFaultName(fault)}, and nothing is done`,
    setting: (fault) => ({ status: status(fault) }),
  },
  delayRequest: {
    acting: ['delayRequest-3s'],
    asking: [],
    says: (fault) => `the connection breaks, and the request arrives ${seconds(fault)} s later`,
    setting: delay,
  },
  duplicateRequest: {
    acting: ['duplicateRequest'],
    onlyRepeatable: true,
    asking: [],
    says: () => 'the request arrives twice',
    setting: () => ({}),
  },
  dropAnswer: {
    acting: ['dropAnswer'],
    asking: ['dropAnswer'],
    says: () => 'the request is executed, and its answer is lost',
    setting: () => ({}),
  },
  failAnswer: {
    acting: ['failAnswer-503', 'failAnswer-500'],
    asking: ['failAnswer-503'],
    says: (fault) => `the request is executed, and answered with ${parameterInFaultName(fault)}`,
    setting: (fault) => ({ status: status(fault) }),
  },
  delayAnswer: {
    acting: ['delayAnswer-45s', 'delayAnswer-210s'],
    asking: ['delayAnswer-45s'],
    says: (fault) => `the answer comes ${seconds(fault)} s late`,
    setting: delay,
  },
  truncateAnswer: {
    acting: ['truncateAnswer-40'],
    asking: ['truncateAnswer-40'],
    says: (fault) => `the connection breaks after ${parameterInFaultName(fault)} bytes of the answer`,
    setting: (fault) => ({ bytes: Number(parameterInFaultName(fault)) }),
  },
  slowAnswer: {
    acting: ['slowAnswer-100'],
    asking: [],
    says: (fault) => `the answer comes slowly, with ${parameterInFaultName(fault)} bytes a second`,
    setting: (fault) => ({ bytesPerSecond: Number(parameterInFaultName(fault)) }),
  },
  cutAnswer: {
    acting: ['cutAnswer-60s'],
    asking: [],
    says: (fault) => `a proxy breaks the connection after ${seconds(fault)} s without an answer`,
    setting: (fault) => ({ afterMs: durationMsInFaultName(fault) ?? 0 }),
  },
  holdAnswer: {
    acting: [],
    asking: [],
    says: () => 'nothing is answered, and time stands still until the point of sale hangs up',
    setting: () => ({}),
    realMs: 205_000,
  },
};

/** Faults between the point of sale and the gateway (docs/control-api.md). */
export const posLinkFaults: readonly FaultKind[] = Object.entries(table).map(([kind, fault]) => ({
  kind,
  group: 'POS link',
  appliesAt: (moment) => {
    const point = requestPoints[moment];
    if (point === undefined || (fault.onlyRepeatable && !point.repeatable)) return [];
    return point.acts ? fault.acting : fault.asking;
  },
  fits: (moment) => requestPoints[moment] !== undefined,
  says: fault.says,
  lastsMs: (name) => durationMsInFaultName(name) ?? 0,
  realMs: fault.realMs,
  arm: async ({ control }, planned) => {
    await control.POST('/control/faults', { body: posLinkFaultBody(planned) as never });
  },
}));

/** Returns the body of `POST /control/faults` for a fault at a request. */
export function posLinkFaultBody(planned: PlannedFault): object {
  const { fault, moment } = planned;
  const { method, path, adyenMessage } = requestPoints[moment] ?? {};
  return {
    fault: kindInFaultName(fault),
    method,
    path,
    asks: adyenMessage,
    ...occurrenceFields(planned),
    ...table[kindInFaultName(fault)]?.setting(fault),
  };
}
