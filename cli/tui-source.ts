import { systemRandom } from '../shared/random.ts';
import { describeOutcome, type Stack, takePayment } from '../stack/index.ts';
import type { Emulator, TuiSource } from '../terminal-emulator/index.ts';
import { recorderOf } from './record/in-place.ts';

/**
 * What the screen shows and acts through, for a stack that runs in this process. Once `left` aborts, nobody waits
 * any more for the sales that were rung up; their payments go on.
 */
export function tuiSource(stack: Stack, emulator: Emulator, left?: AbortSignal): TuiSource {
  const { terminals, runtime } = stack;
  const terminalOf = (poiId: string) => {
    const terminal = emulator.terminal(poiId);
    if (!terminal) throw new Error(`there is no terminal ${poiId} here`);
    return terminal;
  };
  const token = stack.tokens[0]?.token ?? '';
  return {
    facts: { gatewayUrl: stack.url, apiToken: token, currency: stack.currency },
    journal: runtime.journal,
    terminals: () =>
      terminals.map(({ poiId, identifier, store }, index) => {
        const { networkUp, shopper, readers } = terminalOf(poiId);
        return { poiId, identifier, name: `${store} ${index + 1}`, networkUp, shopper, readers };
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
    record: recorderOf(stack),
    wedge: stack.wedge,
    setShopper: (poiId, shopper) => {
      terminalOf(poiId).setShopper(shopper ?? null);
      return undefined;
    },
    sale: async (poiId, amountText, { tip }) => {
      const terminal = terminals.find((each) => each.poiId === poiId);
      const account = stack.tokens.find(({ account }) => account === terminal?.account);
      const result = await takePayment(
        {
          url: stack.url,
          token: account?.token ?? token,
          terminalId: terminal?.identifier ?? '',
          signal: left,
          idempotencyKey: Buffer.from(systemRandom.bytes(16)).toString('hex'),
          body: {
            paymentTransaction: { amountsReq: { requestedAmount: Number(amountText) } },
            ...(tip ? { gratuity: { enabled: true } } : {}),
          },
        },
        runtime.realClock,
      );
      return { success: result.response.result === 'success', line: describeOutcome(result) };
    },
  };
}
