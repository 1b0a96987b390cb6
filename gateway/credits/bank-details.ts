import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import type { BankAccountKind } from './schemas.ts';

/** The fields of the form for a bank account, with the texts that the customer entered. */
export interface BankFields {
  kind?: string;
  iban?: string;
  routing?: string;
  transit?: string;
  institution?: string;
  account?: string;
}

/** The fields in which a customer can make a mistake. The fields for an account number differ between countries. */
export type BankFieldName = 'kind' | 'iban' | 'routing' | 'transit' | 'institution' | 'account';

/** Valid details of a bank account. Only the last digits of the account number are kept. */
export interface BankDetails {
  kind: BankAccountKind;
  masked: string;
  /** Whether the number is one of the test numbers for which the bank refuses the money. */
  refuses: boolean;
}

/**
 * The test numbers for which the bank refuses the money. Their check digits are right. Other sandboxes use the same
 * numbers.
 */
export const refusingIban = 'DE62370400440532013001';
export const refusingAccountNumber = '000111111116';

/** Reads bank details. If no real account can have such details, returns the fields that are wrong. */
export function parseBankDetails(fields: BankFields): BankDetails | BankFieldName[] {
  const plain = (text: string | undefined) => (text ?? '').replaceAll(/[\s-]/g, '');
  const account = plain(fields.account);
  switch (fields.kind) {
    case 'iban': {
      const iban = electronicFormatIBAN(fields.iban ?? '') ?? '';
      if (!isValidIBAN(iban)) return ['iban'];
      return { kind: 'iban', masked: masked(iban), refuses: iban === refusingIban };
    }
    case 'us': {
      const faults: BankFieldName[] = [];
      if (!isRoutingNumber(plain(fields.routing))) faults.push('routing');
      if (!/^\d{4,17}$/.test(account)) faults.push('account');
      return faults.length > 0 ? faults : national('us', account);
    }
    case 'ca': {
      const faults: BankFieldName[] = [];
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
  return { kind, masked: masked(account), refuses: account === refusingAccountNumber };
}

function masked(number: string): string {
  return `**** ${number.slice(-4)}`;
}

/**
 * Returns whether a text is an ABA routing number. Such a number has nine digits. The digits are multiplied by 3, 7
 * and 1 in turn, and the sum of the products must be a multiple of ten.
 */
function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || text === '000000000') return false;
  const sum = [...text].reduce(
    (total, digit, index) => total + Number(digit) * ([3, 7, 1][index % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}

/** Gives the kind of account number that is usual for a currency. */
export function chooseUsualBankAccountKind(currency: string): BankAccountKind {
  if (currency === 'USD') return 'us';
  return currency === 'CAD' ? 'ca' : 'iban';
}
