/**
 * Whether a contactless reader made up this answer to reset for its card: `3B 8n 80 01` and n historical bytes (PC/SC
 * part 3, §3.1.3.2.3.1). The answer of a contact chip hardly ever looks like that.
 */
export function isContactlessAtr(atr: Uint8Array): boolean {
  const [initial, format = 0, first, second] = atr;
  return initial === 0x3b && (format & 0xf0) === 0x80 && first === 0x80 && second === 0x01;
}
