import { type OwnSeller, ownSellers } from './sale.ts';

/** The User-Agent of pinpad's own sales, which are not sales of a point of sale (B238). */
export function ownUserAgent(seller: OwnSeller): string {
  return `pinpad-${seller}`;
}

export function ownSellerOf(userAgent: string | undefined): OwnSeller | undefined {
  return ownSellers.find((seller) => userAgent === ownUserAgent(seller));
}

/**
 * The beginning of the keys of pinpad's own sales. It shows that a sale is pinpad's own when the journal no longer has
 * its request.
 */
export function ownKeyBeginning(seller: OwnSeller): string {
  return `pinpad-${seller}-`;
}

export function ownSellerOfKey(key: string): OwnSeller | undefined {
  return ownSellers.find((seller) => key.startsWith(ownKeyBeginning(seller)));
}
