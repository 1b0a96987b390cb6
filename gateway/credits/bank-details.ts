import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import type { BankKind } from './schemas.ts';

/** The fields of a form, as they were typed. */
export interface BankFields {
  kind?: string;
  iban?: string;
  routing?: string;
  transit?: string;
  institution?: string;
  account?: string;
}

/** The fields that can be wrong. Those of an account have another name in each country. */
export type BankField = 'kind' | 'iban' | 'routing' | 'transit' | 'institution' | 'account';

/** A bank account that can exist. Of its number, only the last digits leave this form. */
export interface BankDetails {
  kind: BankKind;
  masked: string;
  /** Whether it is one of the test numbers whose bank refuses. */
  refuses: boolean;
}

/** Test accounts whose bank refuses the money: check digits right, known from other sandboxes. */
export const refusingIban = 'DE62370400440532013001';
export const refusingAccount = '000111111116';

/** Reads bank details. Gives the faulty fields if they cannot be those of an account. */
export function readBankDetails(fields: BankFields): BankDetails | BankField[] {
  const plain = (text: string | undefined) => (text ?? '').replaceAll(/[\s-]/g, '');
  const account = plain(fields.account);
  switch (fields.kind) {
    case 'iban': {
      const iban = electronicFormatIBAN(fields.iban ?? '') ?? '';
      if (!isValidIBAN(iban)) return ['iban'];
      return { kind: 'iban', masked: masked(iban), refuses: iban === refusingIban };
    }
    case 'us': {
      const faults: BankField[] = [];
      if (!isRoutingNumber(plain(fields.routing))) faults.push('routing');
      if (!/^\d{4,17}$/.test(account)) faults.push('account');
      return faults.length > 0 ? faults : national('us', account);
    }
    case 'ca': {
      const faults: BankField[] = [];
      if (!/^\d{5}$/.test(plain(fields.transit))) faults.push('transit');
      if (!/^\d{3}$/.test(plain(fields.institution))) faults.push('institution');
      if (!/^\d{7,12}$/.test(account)) faults.push('account');
      return faults.length > 0 ? faults : national('ca', account);
    }
    default:
      return ['kind'];
  }
}

function national(kind: 'us' | 'ca', account: string): BankDetails {
  return { kind, masked: masked(account), refuses: account === refusingAccount };
}

function masked(number: string): string {
  return `**** ${number.slice(-4)}`;
}

/** ABA routing numbers: nine digits whose sum, weighted 3 7 1, is a multiple of ten. */
function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || text === '000000000') return false;
  const sum = [...text].reduce(
    (total, digit, index) => total + Number(digit) * ([3, 7, 1][index % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}

/** The form most customers of a currency know. */
export function usualKind(currency: string): BankKind {
  if (currency === 'USD') return 'us';
  return currency === 'CAD' ? 'ca' : 'iban';
}
