import { type OwnSeller, ownSellers } from './sale.ts';

/** What pinpad calls itself where it sells: no sale of a point of sale (B238). */
export function ownUserAgent(seller: OwnSeller): string {
  return `pinpad-${seller}`;
}

export function ownSellerOf(userAgent: string | undefined): OwnSeller | undefined {
  return ownSellers.find((seller) => userAgent === ownUserAgent(seller));
}
