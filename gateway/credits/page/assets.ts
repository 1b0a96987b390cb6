import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type AnyEndpoint, defineEndpoint } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';

/** A file that the page loads. The file's name contains the file's hash, so browsers may cache the file forever. */
interface Asset {
  path: string;
  /** The value of the attribute `integrity`. With this attribute, a browser refuses a file whose content differs. */
  integrity: string;
}

const files = new Map<string, { text: string; type: string }>();

function asset(name: string, type: string): Asset {
  const text = readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');
  const hash = createHash('sha384').update(text).digest();
  const file = name.replace('.', `.${hash.toString('hex').slice(0, 16)}.`);
  files.set(file, { text, type });
  return { path: `/pay/assets/${file}`, integrity: `sha384-${hash.toString('base64')}` };
}

export const stylesheetAsset = asset('pay.css', 'text/css; charset=utf-8');
export const scriptAsset = asset('pay.js', 'text/javascript; charset=utf-8');

/** Serves the page's files. This gateway serves them itself, because the page loads nothing from other servers. */
export const assetEndpoint: AnyEndpoint = defineEndpoint({
  route: 'GET /pay/assets/{file}',
  operationId: 'getPaymentPageAsset',
  tag: 'Payment links',
  guard: 'open',
  documented: false,
  summary: 'Style and script of the page',
  journaled: 'nothing',
  params: z.object({ file: z.string().max(100) }),
  responses: { 200: { description: 'The file', contentType: 'text/css', schema: z.string() } },
  handle: async ({ params }) => {
    const file = files.get(params.file);
    if (!file) throw new ApiError('notFound');
    return {
      status: 200,
      text: file.text,
      headers: {
        'Content-Type': file.type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      },
    };
  },
});
