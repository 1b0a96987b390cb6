import type { AnyCall, Caller } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { Parsed } from './validate.ts';

/** The checked parts of a request. */
type Checked = Parsed & Pick<AnyCall, 'json' | 'unknownFields' | 'fromConsole'>;

/** A request as its handler gets it. */
export class Call implements AnyCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly json: unknown;
  readonly unknownFields: readonly string[];
  readonly caller: Caller;
  readonly fromConsole: boolean;
  readonly #exchange: Exchange;
  /** Handlers take this function out of the call and call it alone, so it must work without `this`. */
  readonly park = (limitMs?: number, fails?: boolean) => this.#exchange.time.park(limitMs, fails);
  readonly keepAwake = () => this.#exchange.keepAwake();
  readonly cut = () => {
    if (this.#exchange.over) return;
    this.#exchange.journalFault({ fault: 'cutConnection' });
    this.#exchange.drop();
  };

  constructor(exchange: Exchange, caller: Caller, checked: Checked) {
    const { params, query, headers, body, json, unknownFields, fromConsole } = checked;
    this.#exchange = exchange;
    this.params = params;
    this.query = query;
    this.headers = headers;
    this.body = body;
    this.json = json;
    this.unknownFields = unknownFields;
    this.caller = caller;
    this.fromConsole = fromConsole;
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get arrivedAt(): number {
    return this.#exchange.arrivedAt;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}
