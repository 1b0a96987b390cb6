import type { AnyCall, Caller } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { ParsedRequest } from './validate.ts';

/** The checked parts of a request. */
type Checked = ParsedRequest & Pick<AnyCall, 'json' | 'unknownFields' | 'fromConsole'>;

/**
 * Makes the object that a handler gets for a request. Handlers take functions out of the object, so these functions do
 * not use `this`.
 */
export function makeHandlerCall(exchange: Exchange, caller: Caller, checked: Checked): AnyCall {
  return {
    ...checked,
    caller,
    requestId: exchange.requestId,
    arrivedAt: exchange.arrivedAt,
    get signal() {
      return exchange.signal;
    },
    park: (limitMs, fails) => exchange.time.park(limitMs, fails),
    keepAwake: () => exchange.keepAwake(),
    cut() {
      if (exchange.isOver) return;
      exchange.journalFault({ fault: 'cutConnection' });
      exchange.drop();
    },
  };
}
