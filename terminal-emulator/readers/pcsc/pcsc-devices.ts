import type { ReaderEntryMode } from '../reader-driver.ts';

/** The name of a slot, in parts. */
interface SlotName {
  readonly model: string;
  /** The name that the device gives to the slot's interface. */
  readonly interface: string;
  readonly serial: string | undefined;
  /** Distinguishes devices that have the same name, and interfaces of one device that have the same name. */
  readonly place: string;
}

/**
 * The form of a name on Linux (pcscd): `Identiv uTrust 4701 F Dual Interface Reader [uTrust 4701 F CL Reader]
 * (53201526204040) 01 00`.
 */
const pcscdName = /^(.*?)(?: \[(.*)\])?(?: \(([^)]*)\))? ([0-9A-F]{2}) [0-9A-F]{2}$/;
/**
 * The form of a name on Windows and macOS: `ACS ACR1252 Dual Reader PICC 0`. These systems add a number to distinguish
 * slots that have the same name.
 */
const numberedName = /^(.*?)(?: ?\(?(\d+)\)?)?$/;
/** The words that differ between the names of a device's slots. */
const kindWords = /\b(?:contactless|contact|PICC|ICC|SAM|NFC|RFID|CL)\b|(?<=\d)CL\b/gi;

/**
 * Gives the slots that have `wanted` in their name (case is ignored), or all slots if `wanted` is undefined. The slots
 * are grouped by device, in the order of the service. PC/SC lists a device with two slots, such as one for chips and
 * one for taps, as two readers. Slots for security modules (SAM) hold no customer's card, so they are given only if no
 * other slot has `wanted` in its name.
 */
export function findMatchingPcscDevices(slots: readonly string[], wanted: string | undefined): string[][] {
  const named = slots.filter((slot) => slot.toLowerCase().includes((wanted ?? '').toLowerCase()));
  const forCards = named.filter((slot) => !/\bSAM\b/i.test(slot));
  const fit = forCards.length > 0 || wanted === undefined ? forCards : named;
  const devices: string[][] = [];
  for (const slot of slots) {
    const device = devices.find((each) => each.every((other) => areOfOneDevice(parsed(other), parsed(slot))));
    if (device) device.push(slot);
    else devices.push([slot]);
  }
  return devices
    .map((device) => device.filter((slot) => fit.includes(slot)))
    .filter((device) => device.length > 0);
}

/**
 * Gives the name of the first device, which is the device that is used. Other devices that match `wanted` are
 * mentioned after this name.
 */
export function describeFirstDevice(
  [first = [], ...others]: readonly string[][],
  wanted: string | undefined,
): string {
  if (wanted === undefined || others.length === 0) return deviceName(first);
  const also = others.map(deviceName).join(', ');
  return `${deviceName(first)}, the first of ${others.length + 1} readers that match; the others are ${also}`;
}

function deviceName(slots: readonly string[]): string {
  const [first = ''] = slots;
  if (slots.length < 2) return first;
  const { model, serial } = parsed(first);
  return serial === undefined ? model : `${model} (${serial})`;
}

/** Says which cards a slot takes. Only its own name and the names of the device's other slots are used for this. */
export function entryModesOfSlot(slot: string, device: readonly string[]): readonly ReaderEntryMode[] {
  const kind = kindOf(slot);
  if (kind) return [kind];
  // If all other slots of the device take one known kind of card, this slot takes the other kind.
  const others = new Set(device.filter((other) => other !== slot).map(kindOf));
  if (others.size !== 1 || others.has(undefined)) return ['ICC', 'Contactless'];
  return others.has('ICC') ? ['Contactless'] : ['ICC'];
}

function kindOf(slot: string): ReaderEntryMode | undefined {
  const { model, interface: at } = parsed(slot);
  for (const name of at === '' ? [slot] : [at, model]) {
    const contactless = /contactless|PICC|NFC|RFID|ACR122|\bCL\b|\dCL\b/i.test(name);
    const contact = /\bcontact\b|\bICC\b|\bSAM\b/i.test(name);
    if (contactless !== contact) return contactless ? 'Contactless' : 'ICC';
  }
  return undefined;
}

function parsed(name: string): SlotName {
  const [, model, at = '', serial, place] = pcscdName.exec(name) ?? [];
  if (model !== undefined && place !== undefined) return { model, interface: at, serial, place };
  const [, words = name, number = ''] = numberedName.exec(name) ?? [];
  const kinds = words.match(kindWords) ?? [];
  return {
    model: `${words.replaceAll(kindWords, '').replaceAll(/\s+/g, ' ').trim()}${number && ` ${number}`}`,
    interface: kinds.join(' '),
    serial: undefined,
    place: number,
  };
}

/**
 * Whether two slots belong to one device. If both names have a serial number, the serial numbers must be the same.
 * Without serial numbers, the slots belong together if their names have the same number, or if their interfaces
 * differ: two devices of one model would have the same interfaces.
 */
function areOfOneDevice(one: SlotName, other: SlotName): boolean {
  if (one.model !== other.model || one.serial !== other.serial) return false;
  return one.serial !== undefined || one.place === other.place || one.interface !== other.interface;
}
