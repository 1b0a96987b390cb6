import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { callControl } from '../control.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { preventFocusMove } from './display.tsx';

interface SaleFormProps {
  readonly poiId: string;
  readonly amountRef: RefObject<HTMLInputElement | null>;
  readonly onEnd: () => void;
}

interface SaleResult {
  readonly refused?: true;
  /** The reason, if the sale was refused. */
  readonly line: string;
}

/** A form that starts a sale on the terminal in view, as a point of sale would. */
export function SaleForm({ poiId, amountRef, onEnd }: SaleFormProps) {
  const [amount, setAmount] = useState('');
  const [tip, setTip] = useState(false);
  const { act, problem, say } = useGatewayCalls();
  const sell = (event: Event) => {
    event.preventDefault();
    const value = Number(amount.trim().replace(',', '.'));
    if (!/^\d+([.,]\d+)?$/.test(amount.trim()) || !(value > 0)) return say('Type an amount such as 12.50');
    amountRef.current?.blur(); // when the field has lost the focus, typed keys go to the terminal
    setAmount('');
    const body = { terminal: poiId, amount: value, tip };
    void act(async () => {
      try {
        const { refused, line } = await callControl<SaleResult>('POST', '/console/sales', body);
        if (refused) throw new Error(line);
        onEnd();
      } catch (error) {
        setAmount((typed) => typed || amount); // the same amount can be tried again, unless another one was typed
        throw error;
      }
    });
  };
  return (
    <form class="sale" onSubmit={sell} aria-label={`A sale on ${poiId}`}>
      <label>
        <span>Amount</span>
        <input
          ref={amountRef}
          inputMode="decimal"
          autoComplete="off"
          placeholder="12.50"
          value={amount}
          aria-describedby="sale-problem"
          onInput={({ currentTarget }) => setAmount(currentTarget.value)}
        />
      </label>
      <label class="tip">
        <input type="checkbox" checked={tip} onChange={() => setTip(!tip)} /> ask for a tip
      </label>
      <button type="submit" class="primary" onMouseDown={preventFocusMove}>
        Ring up a sale
      </button>
      <p class="problem" id="sale-problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
