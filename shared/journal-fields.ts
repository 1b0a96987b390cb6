import type { JournalDataByKind, JournalEntry, JournalKind } from './journal.ts';

type Data = JournalDataByKind[JournalKind];
type FieldName<Each = Data> = Each extends unknown ? keyof Each & string : never;
type FieldOf<Name, Each = Data> = Each extends unknown
  ? Name extends keyof Each
    ? Each[Name]
    : never
  : never;

/** Returns a field of an entry's data, or undefined if entries of that kind have no field of that name. */
export function readEntryField<Name extends FieldName>(
  entry: JournalEntry,
  name: Name,
): FieldOf<Name> | undefined {
  const data: Partial<Record<FieldName, unknown>> = entry.data;
  return data[name] as FieldOf<Name> | undefined;
}

/** Returns a value's fields, or no fields if the value is not an object. */
export function asRecord(value: unknown): Record<string, unknown> {
  return value && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Returns a value if it is a text, and undefined if it is anything else. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
