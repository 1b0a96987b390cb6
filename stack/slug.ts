/** Makes an identifier from a name: "Demo Shop" becomes demo-shop. */
export function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-|-$/g, '') || 'account';
}
