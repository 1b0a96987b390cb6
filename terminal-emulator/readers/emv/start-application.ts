import { fromHex } from '../hex.ts';
import { type AflEntry, parseAfl } from './afl.ts';
import { makeGpoCommand, makeSelectCommand } from './apdu.ts';
import type { EmvSession } from './emv-session.ts';
import type { ListedApplication } from './list-applications.ts';
import { fillDol, parseDol, type TransactionData } from './pdol.ts';
import { findTlv, parseTlv, type Tlv, TlvError } from './tlv.ts';

/** Thrown if an application gave invalid answers. The card's other applications may still be usable. */
export class UnusableApplicationError extends Error {}

/**
 * An application that accepted the transaction: the data that it has returned, and the list of the records that contain
 * the remaining data.
 */
export interface StartedApplication {
  readonly objects: readonly Tlv[];
  readonly files: readonly AflEntry[];
}

const conditionsNotSatisfied = 0x6985;

/**
 * Selects an application and gets its processing options. Gives undefined if the application is blocked or absent, or
 * if its conditions of use are not met. The caller then takes the application off its list (EMV Book 1 §12.4, Book 3
 * §10.1).
 *
 * @throws UnusableApplicationError, TlvError
 */
export async function startApplication(
  session: EmvSession,
  application: ListedApplication,
  transaction: TransactionData,
): Promise<StartedApplication | undefined> {
  const selected = await session.exchange(makeSelectCommand(fromHex(application.aid)));
  if (selected.status !== 0x9000) return undefined;
  const fci = parseTlv(selected.data);
  const wanted = parseDol(findTlv(fci, 0x9f38)?.value ?? new Uint8Array());
  const options = await session.exchange(makeGpoCommand(fillDol(wanted, transaction)));
  if (options.status === conditionsNotSatisfied) return undefined;
  if (options.status !== 0x9000) throw new UnusableApplicationError('the card gave no processing options');
  const { objects, afl } = parseOptions(options.data);
  return { objects: [...fci, ...objects], files: afl ? parseAfl(afl) : [] };
}

/**
 * Reads the processing options. Format 1 is tag 80 with AIP and AFL next to each other. Format 2 is tag 77, in which
 * AIP and AFL are two objects.
 */
function parseOptions(data: Uint8Array): { objects: readonly Tlv[]; afl: Uint8Array | undefined } {
  const [template, ...rest] = parseTlv(data);
  if (!template || rest.length > 0) throw new TlvError('the processing options must be one object');
  if (template.tag === 0x80) {
    if (template.value.length < 2) throw new TlvError('the processing options have no AIP');
    return { objects: [], afl: template.value.subarray(2) };
  }
  if (template.tag !== 0x77) throw new TlvError('the processing options have an unknown format');
  const objects = template.children ?? [];
  return { objects, afl: findTlv(objects, 0x94)?.value };
}
