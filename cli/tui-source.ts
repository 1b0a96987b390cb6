import { explainConnectionError } from '../shared/connection-error.ts';
import { systemRandom } from '../shared/random.ts';
import {
  makeSaleIdempotencyKey,
  PaymentRequestRefusedError,
  type Stack,
  takePayment,
} from '../stack/index.ts';
import type { EmulatedTerminal, Emulator, TuiSource } from '../terminal-emulator/index.ts';
import { openInBrowser } from './open-in-browser.ts';
import { readPaymentDetails, readStoredPayments } from './payment-details.ts';
import { makeTuiScenarioRecorder } from './record/screen-recorder.ts';
import { TerminalTroubleControl } from './troubles.ts';

/** The maximum number of earlier sales that the screen lists. */
const listedSales = 200;

/**
 * Makes the object from which the screen reads the state of a stack in this process, and through which the screen acts.
 * When `left` aborts, the screen stops waiting for the answers to its sales, but the payments continue.
 */
export function makeTuiSource(stack: Stack, emulator: Emulator, left?: AbortSignal): TuiSource {
  const { terminals, runtime } = stack;
  const terminalOf = (poiId: string) => {
    const terminal = emulator.terminal(poiId);
    if (!terminal) throw new Error(`no terminal ${poiId} here`);
    return terminal;
  };
  const troubles = new TerminalTroubleControl(stack, emulator);
  void runtime.journal.complete();
  return {
    facts: {
      gatewayUrl: stack.url,
      apiToken: stack.tokens[0]?.token ?? '',
      controlToken: stack.controlToken,
      beliefsUrl: stack.beliefs[0]?.url,
      currency: stack.currency,
      adyen: stack.adyen,
    },
    journal: runtime.journal,
    terminals: () =>
      terminals.map((terminal) => {
        const { poiId, identifier, store } = terminal;
        const shown = shownOf(terminalOf(poiId), stack.gateway);
        return { poiId, identifier, store, ...shown, troubles: troubles.set(terminal) };
      }),
    screen: (poiId) => terminalOf(poiId).screen(),
    cards: () => emulator.cards.summaries(),
    receipts: (poiId) => terminalOf(poiId).receipts(),
    onChange: (listener) => {
      const stops = [
        runtime.journal.listen(listener),
        ...emulator.terminals.map((terminal) => terminal.onChange(listener)),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    act: (poiId, action) => terminalOf(poiId).act(action),
    keyIn: (poiId, cardId) => terminalOf(poiId).keyIn(cardId),
    troubles: troubles.all,
    setTrouble: (poiId, id, mode, after) => troubles.put(poiId, id, mode, after),
    consoleLink: () => stack.gateway.consoleLink(),
    browse: openInBrowser,
    sales: async () => (await stack.gateway.sales.page({}, undefined, listedSales)).sales,
    onSale: (listener) => stack.gateway.sales.listen(listener),
    onFindingWithoutSale: (listener) => stack.gateway.onFindingWithoutSale(({ what }) => listener(what)),
    earlier: () => readStoredPayments(stack.gateway),
    explain: (paymentId) => readPaymentDetails(stack.gateway, paymentId),
    recorder: makeTuiScenarioRecorder(stack),
    wedge: stack.wedge,
    setShopper: (poiId, shopper) => {
      terminalOf(poiId).setShopper(shopper ?? null);
      return undefined;
    },
    sale: (...order) => ringUp(stack, left, ...order),
  };
}

function shownOf({ network, shopper, readers, pausedAt }: EmulatedTerminal, { moments }: Stack['gateway']) {
  const { networkUp, latencyMs } = network;
  const paused = pausedAt ?? moments.pausedAt;
  return { networkUp, latencyMs, shopper, readers, ...(paused && { pausedAt: paused }) };
}

async function ringUp(
  { url, terminals, tokens, runtime }: Stack,
  signal: AbortSignal | undefined,
  ...[poiId, amount, { tip, onRecovery }]: Parameters<TuiSource['sale']>
): Promise<void> {
  const terminal = terminals.find((each) => each.poiId === poiId);
  const account = tokens.find(({ account }) => account === terminal?.account) ?? tokens[0];
  const sale = {
    url,
    by: 'screen',
    token: account?.token ?? '',
    terminalId: terminal?.identifier ?? '',
    signal,
    onRecovery,
    idempotencyKey: makeSaleIdempotencyKey(systemRandom, 'screen'),
    body: {
      paymentTransaction: { amountsReq: { requestedAmount: amount } },
      ...(tip ? { gratuity: { enabled: true } } : {}),
    },
  } as const;
  await takePayment(sale, runtime.realClock).catch((error: unknown) => {
    if (error instanceof PaymentRequestRefusedError) throw error;
    throw new Error(
      `there was no answer: ${explainConnectionError(error)}. A POS would now use the key of the payment to ask for the status. Press l to see the payment`,
    );
  });
}
