import { maskCardNumbers } from '../../../shared/masking/card-numbers.ts';
import { fieldOf } from './message.ts';

/** The fields that the gateway uses from the data for the acquirer. A POS sends these data with a payment. */
interface AcquirerData {
  /** Whether the terminal must ask the shopper for a tip. */
  readonly asksGratuity: boolean;
  /** The currency of the money that is given back, if the POS names a currency. The value is not checked yet. */
  readonly currency: unknown;
  /** Names and values that the POS chose. Every answer repeats them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Reads SaleToAcquirerData. The data may be a form, JSON in Base64, or the object itself. Any other value counts as an
 * empty object.
 */
export function readAcquirerData(given: unknown): AcquirerData {
  const fields = typeof given === 'string' ? (fromBase64(given) ?? fromForm(given)) : given;
  const options = String(fieldOf(fields, 'tenderOption') ?? '').split(',');
  return {
    asksGratuity: options.some((option) => option.trim() === 'AskGratuity'),
    currency: fieldOf(fields, 'currency'),
    metadata: metadataIn(fieldOf(fields, 'metadata')),
  };
}

/**
 * Reads the metadata, and masks card numbers in it. No card number may be stored, even if the POS puts it into its own
 * data.
 */
function metadataIn(given: unknown): Record<string, string> {
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [maskCardNumbers(name), maskCardNumbers(String(value))]),
  );
}

function fromBase64(text: string): object | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    const json: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a form. A name such as `metadata.name` stands for a field of the metadata. */
function fromForm(text: string): object {
  const metadata: Record<string, string> = {};
  const fields: Record<string, unknown> = { metadata };
  for (const [name, value] of new URLSearchParams(text))
    if (name.startsWith('metadata.')) metadata[name.slice('metadata.'.length)] = value;
    else fields[name] = value;
  return fields;
}
