import { systemRandom } from '../shared/random.ts';
import { connectionFault, newSaleKey, SaleRefused, type Stack, takePayment } from '../stack/index.ts';
import type { Emulator, TuiSource } from '../terminal-emulator/index.ts';
import { openInBrowser } from './open-in-browser.ts';
import { paymentAccountOf, storedPayments } from './payment-account.ts';
import { recorderOf } from './record/in-place.ts';
import { Troubles } from './troubles.ts';

/** So many of the sales of before are listed. */
const listedSales = 200;

/**
 * What the screen shows and acts through, for a stack that runs in this process. Once `left` aborts, nothing waits
 * any more for the sales that were rung up; their payments go on.
 */
export function tuiSource(stack: Stack, emulator: Emulator, left?: AbortSignal): TuiSource {
  const { terminals, runtime } = stack;
  const terminalOf = (poiId: string) => {
    const terminal = emulator.terminal(poiId);
    if (!terminal) throw new Error(`no terminal ${poiId} here`);
    return terminal;
  };
  const token = stack.tokens[0]?.token ?? '';
  const troubles = new Troubles(stack, emulator);
  void runtime.journal.complete();
  return {
    facts: {
      gatewayUrl: stack.url,
      apiToken: token,
      controlToken: stack.controlToken,
      beliefsUrl: stack.beliefs[0]?.url,
      currency: stack.currency,
      adyen: stack.adyen,
    },
    journal: runtime.journal,
    terminals: () =>
      terminals.map((terminal) => {
        const { poiId, identifier, store } = terminal;
        const { network, shopper, readers, pausedAt } = terminalOf(poiId);
        const { networkUp, latencyMs } = network;
        const set = troubles.set(terminal);
        const paused = pausedAt ?? stack.gateway.moments.pausedAt;
        const known = { poiId, identifier, store, networkUp, latencyMs, shopper, readers };
        return { ...known, troubles: set, ...(paused && { pausedAt: paused }) };
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
    earlier: () => storedPayments(stack.gateway),
    explain: (paymentId) => paymentAccountOf(stack.gateway, paymentId),
    recorder: recorderOf(stack),
    wedge: stack.wedge,
    setShopper: (poiId, shopper) => {
      terminalOf(poiId).setShopper(shopper ?? null);
      return undefined;
    },
    sale: async (poiId, amount, { tip, onRecovery }) => {
      const terminal = terminals.find((each) => each.poiId === poiId);
      const account = stack.tokens.find(({ account }) => account === terminal?.account);
      await takePayment(
        {
          url: stack.url,
          by: 'screen',
          token: account?.token ?? token,
          terminalId: terminal?.identifier ?? '',
          signal: left,
          onRecovery,
          idempotencyKey: newSaleKey(systemRandom, 'screen'),
          body: {
            paymentTransaction: { amountsReq: { requestedAmount: amount } },
            ...(tip ? { gratuity: { enabled: true } } : {}),
          },
        },
        runtime.realClock,
      ).catch((error: unknown) => {
        if (error instanceof SaleRefused) throw error;
        throw new Error(`no answer: ${connectionFault(error)}. Its POS asks the status by its key; l has it`);
      });
    },
  };
}
