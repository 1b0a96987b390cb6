import { type AutomaticShopperSettings, automaticShopperSchema } from '../../shared/emulator/frames.ts';
import { StartError } from '../../shared/start-error.ts';

/** How a card is presented if the text about the shopper names no ENTRY. */
const usualEntry = 'Contactless';
const entries = ['ICC', 'Contactless', 'MagStripe', 'Keyed'];

/**
 * Reads `CARD[:ENTRY][:tip=N][:pin=NNNN]`.
 *
 * @throws StartError if the text has another form
 */
export function parseShopper(text: string): AutomaticShopperSettings {
  const [card = '', ...rest] = text.split(':');
  const given: Record<string, string> = { card, entry: usualEntry };
  for (const part of rest) {
    const [, name, value] = /^(tip|pin)=(.+)$/.exec(part) ?? [];
    const entry = entries.find((each) => each.toLowerCase() === part.toLowerCase());
    if (name !== undefined && value !== undefined) given[name] = value;
    else if (entry !== undefined) given.entry = entry;
    else
      throw new StartError(
        `--shopper ${card}: ${name ?? 'a part'} is not known; write CARD[:ENTRY][:tip=N][:pin=NNNN], where ENTRY is one of ${entries.join(', ')}`,
      );
  }
  const read = automaticShopperSchema.safeParse(given);
  if (read.success && card !== '') return read.data;
  throw new StartError(
    `--shopper ${card}: ${read.error?.issues[0]?.path.join('.') ?? 'card'}: ${read.error?.issues[0]?.message ?? 'is missing'}`,
  );
}
