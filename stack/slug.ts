/** An identifier from a name: "Demo Shop" is demo-shop. */
export function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-|-$/g, '') || 'account';
}
