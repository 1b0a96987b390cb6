import type { Runtime } from '../../shared/runtime.ts';
import type { Account } from '../accounts/schemas.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { unlessFull } from '../http/unless-full.ts';
import type { PaymentRow } from '../store/rows/payments.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from '../terminals/directory.ts';
import type { TerminalService } from '../terminals/service.ts';
import { requestHash } from './idempotency.ts';
import type { Keys } from './keys.ts';
import type { PaymentLanes } from './lanes.ts';
import { checkAmounts, paymentMessage, type ReadRequest, readRequest, refusalOf } from './request-mapping.ts';
import type { Found } from './rows.ts';
import type { PaymentRequestBody } from './schemas.ts';
import { serviceIdOf } from './service-id.ts';
import { paymentOf } from './states.ts';
import type { Input } from './step.ts';

/** A payment request as it comes in, checked by its schema. */
export interface PaymentOrder {
  caller: Caller;
  terminalId: string;
  body: PaymentRequestBody;
  /** The body as it came, which its key stands for. */
  json: unknown;
  unknownFields: readonly string[];
  idempotencyKey: string | undefined;
  requestId: string;
}

/** Where a payment stands: with its result as JSON once it is concluded. */
export interface Standing {
  id: string;
  acceptedAt: number;
  answer?: string;
}

/** The key of a request, what two requests of it must share, and which payment of it this is. */
interface Key {
  key: string;
  hash: string;
  use: number;
}

/** What an order is written as. */
interface Draft {
  order: PaymentOrder;
  request: ReadRequest;
  account: Account;
  terminal: Terminal;
  key: Key | undefined;
}

interface AcceptanceParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  terminals: TerminalService;
  acquirer: Acquirer;
  lanes: PaymentLanes;
  keys: Keys;
}

/** Takes payments in: checked in order (B116), on disk before they are sent to the terminal. */
export class Acceptance {
  readonly #parts: AcceptanceParts;

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  /**
   * Accepts a payment, or finds the one that the order's key stands for. Resolves when it is on disk; its
   * delivery is under way then.
   *
   * A replay comes before all that settings may have changed since: the terminal, the currency, the limit (B60).
   *
   * @throws ApiError in order (B116); nothing is stored then, and the key stays free (B59)
   */
  async accept(order: PaymentOrder): Promise<Standing> {
    checkAmounts(order.body);
    const { idempotencyKey: key, caller, terminalId, json } = order;
    if (key === undefined) return this.#make(order, undefined);
    const hash = requestHash(terminalId, json);
    return this.#parts.keys.alone(caller, key, () => this.#withKey(order, key, hash));
  }

  async #withKey(order: PaymentOrder, key: string, hash: string): Promise<Standing> {
    const { keys } = this.#parts;
    let { former, nextUse } = await keys.find(order.caller, key);
    while (!former) {
      const use = nextUse;
      try {
        return await this.#make(order, { key, hash, use });
      } catch (error) {
        if (error instanceof ApiError) throw error;
        // The database has the last word on keys: what it refuses may be a replay, or the key's use another gateway's.
        ({ former, nextUse } = await keys.stored(order.caller, key));
        if (!former && nextUse <= use) throw error;
      }
    }
    return this.#again(order, hash, former);
  }

  #again(order: PaymentOrder, hash: string, former: Found): Standing {
    if (former.request_hash === hash) return standing(former);
    this.#parts.terminals.ofCaller(order.terminalId, order.caller);
    throw new ApiError('idempotencyKeyReused');
  }

  async #make(order: PaymentOrder, key: Key | undefined): Promise<Standing> {
    const { store, terminals, lanes, keys } = this.#parts;
    const { id } = terminals.ofCaller(order.terminalId, order.caller);
    store.mustAnswer(); // the terminal's lane may wait for a commit that only the server can tell of
    let made = { id: '', accepted_at: 0 };
    const input = () => {
      const accepted = this.#accepted(order, key);
      made = accepted.row;
      return accepted;
    };
    const { concluded } = await unlessFull(lanes.put(id, 'onTerminal', input));
    const busy = concluded?.as.id === made.id ? concluded : undefined;
    if (key && !busy) keys.used(order.caller, key.key);
    return standing({ ...made, answer: busy?.answer ?? null });
  }

  /** What settings and terminal are is looked at in the payment's turn: then it counts. */
  #accepted(order: PaymentOrder, key: Key | undefined): Extract<Input, { is: 'accepted' }> {
    const { accounts, terminals, runtime } = this.#parts;
    const terminal = terminals.ofCaller(order.terminalId, order.caller);
    const account = accounts.account(order.caller.accountId);
    const request = readRequest(order.body, account);
    const refusal = refusalOf(request, terminal, account);
    if (refusal) throw new ApiError(refusal);
    const row = this.#rowOf({ order, request, account, terminal, key });
    const payment = paymentOf(row, {
      poiId: terminal.poiId,
      saleReferenceId: order.body.saleData?.saleReferenceId,
      now: row.accepted_at,
      monotonic: runtime.clock.monotonic(),
    });
    return { is: 'accepted', row, payment, requestId: order.requestId };
  }

  #rowOf({ order, request, account, terminal, key }: Draft): PaymentRow {
    const { identifiers, clock } = this.#parts.runtime;
    const payment = {
      id: identifiers.next(),
      acceptedAt: clock.now(),
      pinRule: this.#parts.acquirer.pinRule(terminal.id, request.amount, request.currency),
    };
    return {
      id: payment.id,
      account_id: terminal.accountId,
      environment: terminal.environment,
      terminal_id: terminal.id,
      service_id: serviceIdOf(payment.id),
      amount: request.amount,
      currency: request.currency,
      idempotency_key: key?.key ?? null,
      key_use: key?.use ?? 0,
      request_hash: key?.hash ?? null,
      accepted_at: payment.acceptedAt,
      message: JSON.stringify(paymentMessage(request, payment, terminal, account)),
      unknown_fields: order.unknownFields.length > 0 ? JSON.stringify(order.unknownFields) : null,
      pin_rule: payment.pinRule ?? null,
    };
  }
}

/** A stored payment's standing, by its answer. */
export function standing({
  id,
  accepted_at: acceptedAt,
  answer,
}: Pick<Found, 'id' | 'accepted_at' | 'answer'>): Standing {
  return answer === null ? { id, acceptedAt } : { id, acceptedAt, answer };
}
