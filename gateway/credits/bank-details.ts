import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import type { BankKind } from './schemas.ts';

/** The fields of a form, as the customer typed them. */
export interface BankFields {
  kind?: string;
  iban?: string;
  routing?: string;
  transit?: string;
  institution?: string;
  account?: string;
}

/** The fields that can be wrong. The fields of an account have other names in each country. */
export type BankField = 'kind' | 'iban' | 'routing' | 'transit' | 'institution' | 'account';

/** A bank account that can exist. Only the last digits of its number leave this form. */
export interface BankDetails {
  kind: BankKind;
  masked: string;
  /** Whether this is one of the test numbers whose bank refuses the money. */
  refuses: boolean;
}

/** Test accounts whose bank refuses the money. Their check digits are right; they are known from other sandboxes. */
export const refusingIban = 'DE62370400440532013001';
export const refusingAccount = '000111111116';

/** Reads bank details. If they cannot be those of an account, gives the faulty fields. */
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

/** Whether a text is an ABA routing number: nine digits whose sum, weighted 3 7 1, is a multiple of ten. */
function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || text === '000000000') return false;
  const sum = [...text].reduce(
    (total, digit, index) => total + Number(digit) * ([3, 7, 1][index % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}

/** The kind of account number that most customers of a currency know. */
export function usualKind(currency: string): BankKind {
  if (currency === 'USD') return 'us';
  return currency === 'CAD' ? 'ca' : 'iban';
}
