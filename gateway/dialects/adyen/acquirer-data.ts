import { maskCardNumbers } from '../../../shared/masking/card-numbers.ts';
import { fieldOf } from './message.ts';

/** The data that a point of sale sends to the acquirer in addition to the payment, as far as they matter here. */
interface AcquirerData {
  /** Whether the terminal asks for a tip. */
  readonly asksGratuity: boolean;
  /** The currency of the money that is given back, if the point of sale names one; it is not checked yet. */
  readonly currency: unknown;
  /** Names and values that every answer repeats. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reads SaleToAcquirerData: Base64 of JSON, a form, or the object itself; anything else counts as empty. */
export function readAcquirerData(given: unknown): AcquirerData {
  const fields = typeof given === 'string' ? (fromBase64(given) ?? fromForm(given)) : given;
  const options = String(fieldOf(fields, 'tenderOption') ?? '').split(',');
  return {
    asksGratuity: options.some((option) => option.trim() === 'AskGratuity'),
    currency: fieldOf(fields, 'currency'),
    metadata: metadataIn(fieldOf(fields, 'metadata')),
  };
}

/** Masks card numbers, which are stored nowhere, not even within a point of sale's own data. */
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

/** Reads a form, in which `metadata.name=value` is a field of the metadata. */
function fromForm(text: string): object {
  const metadata: Record<string, string> = {};
  const fields: Record<string, unknown> = { metadata };
  for (const [name, value] of new URLSearchParams(text))
    if (name.startsWith('metadata.')) metadata[name.slice('metadata.'.length)] = value;
    else fields[name] = value;
  return fields;
}
