import { type OwnSeller, ownSellers } from './sale.ts';

/** What pinpad calls itself where it sells: no sale of a point of sale (B238). */
export function ownUserAgent(seller: OwnSeller): string {
  return `pinpad-${seller}`;
}

export function ownSellerOf(userAgent: string | undefined): OwnSeller | undefined {
  return ownSellers.find((seller) => userAgent === ownUserAgent(seller));
}

/** How the keys of what it sells begin: so a sale is known as pinpad's own when the journal has its request no more. */
export function ownKeyBeginning(seller: OwnSeller): string {
  return `pinpad-${seller}-`;
}

export function ownSellerOfKey(key: string): OwnSeller | undefined {
  return ownSellers.find((seller) => key.startsWith(ownKeyBeginning(seller)));
}
