/**
 * Escapes a text for XML or HTML, between tags or in a quoted attribute. Replaces control characters except tabs and
 * line ends, because XML 1.0 does not allow them.
 */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
