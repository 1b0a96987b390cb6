import { type OwnSeller, ownSellers } from './sale.ts';

/** The User-Agent of the requests for pinpad's own sales. Such sales are not sales of a point of sale (B238). */
export function ownUserAgentOf(seller: OwnSeller): string {
  return `pinpad-${seller}`;
}

export function findOwnSellerByUserAgent(userAgent: string | undefined): OwnSeller | undefined {
  return ownSellers.find((seller) => userAgent === ownUserAgentOf(seller));
}

/**
 * The beginning of the keys of pinpad's own sales. By this beginning, a sale is recognised as pinpad's own even if the
 * journal no longer has the sale's request.
 */
export function ownKeyPrefixOf(seller: OwnSeller): string {
  return `pinpad-${seller}-`;
}

export function findOwnSellerByKey(key: string): OwnSeller | undefined {
  return ownSellers.find((seller) => key.startsWith(ownKeyPrefixOf(seller)));
}
