import type { Plugin } from 'rolldown';

/**
 * Makes a plugin that writes all code in ASCII. Node reads and hashes an ASCII file ten times faster at every start,
 * because each character is one byte.
 */
export function asciiOutputPlugin(): Plugin {
  return {
    name: 'in-ascii',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = escaped(chunk.code);
    },
  };
}

/**
 * Replaces all characters outside of ASCII with escapes. Strings, templates, regular expressions and names keep their
 * meaning, unless a program reads their raw text. Throws an error if the code seems to read raw text.
 */
function escaped(code: string): string {
  const [raw] = /(?:\braw`[^`]*|\\)[^\0-\x7f]/.exec(code) ?? [];
  if (raw !== undefined)
    throw new Error(`replacing characters with escapes would change the meaning of this code: ${raw}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
