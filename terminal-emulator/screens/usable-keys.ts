import type { ScreenState, TerminalKey } from '../../shared/emulator/screen.ts';
import type { ScreenFacts } from './screen-facts.ts';

const digits: readonly TerminalKey[] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
const typing: readonly TerminalKey[] = [...digits, 'clear', 'enter', 'cancel'];

/**
 * The keys that do something now. The power switch is always one of them. Cards are not keys, so they are not listed.
 */
export function usableKeysOf(input: ScreenFacts): TerminalKey[] {
  return [...(input.state === 'off' ? [] : stateKeys(input)), 'power'];
}

function stateKeys({ state, payment }: ScreenFacts): readonly TerminalKey[] {
  switch (state satisfies ScreenState) {
    case 'tip':
      return [...(payment?.tipChoices ?? []).map(({ key }) => key), 'cancel'];
    case 'applicationChoice':
      return [...digits.slice(1, (payment?.applications?.length ?? 0) + 1), 'cancel'];
    case 'customTip':
    case 'keyedNumber':
    case 'keyedExpiry':
    case 'pin':
      return typing;
    // While the terminal asks for a card, the first digit of a card number starts keyed entry.
    case 'presentCard':
      return payment?.entries.includes('Keyed') ? [...digits, 'cancel'] : ['cancel'];
    case 'insertInstead':
    case 'chipUnreadable':
    case 'swipeInstead':
    case 'cardUnreadable':
    case 'pinWrong':
      return ['cancel'];
    default:
      return [];
  }
}
