import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { memoize } from '../../shared/memoize.ts';
import { type AnyEndpoint, defineEndpoint } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;
/**
 * The page's own files, and the files of swagger-ui-dist. In the built package, the files of swagger-ui-dist are in
 * the same folder as the page's own files. In the source tree, they are in the package swagger-ui-dist.
 */
const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'docs.css', 'docs.js'] as const;
type File = (typeof files)[number];

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pinpad: the API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/docs.css">
<script defer src="/docs/assets/swagger-ui-bundle.js"></script>
<script defer src="/docs/assets/docs.js"></script>
</head>
<body>
<main id="docs"></main>
<noscript>This page needs JavaScript to show <a href="/openapi.json">the OpenAPI document</a>. The document itself does not need JavaScript.</noscript>
</body>
</html>
`;

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
const assetParams = z.object({ file: z.string().max(100) });

/**
 * Serves a page on which people read the OpenAPI document and try the API. Everything that the page loads comes from
 * this gateway (docs/decisions/0003).
 */
export function docsPageEndpoints(): AnyEndpoint[] {
  const common = {
    tag: 'Description',
    guard: 'open',
    documented: false,
    journaled: 'nothing',
  } as const;
  return [
    defineEndpoint({
      ...common,
      route: 'GET /docs',
      operationId: 'getDocs',
      summary: 'Get a page that shows this document and can send the requests',
      responses: { 200: { description: 'A page' } },
      handle: async () => ({ status: 200, text: page, headers: pageHeaders }),
    }),
    defineEndpoint({
      ...common,
      route: 'GET /docs/assets/{file}',
      operationId: 'getDocsAsset',
      summary: 'Get a file that the page at /docs loads',
      params: assetParams,
      responses: { 200: { description: 'A file' } },
      handle: async ({ params }) => {
        const file = files.find((known) => known === params.file);
        if (!file) throw new ApiError('notFound');
        const headers = {
          'Content-Type': types[file.endsWith('.css') ? 'css' : 'js'],
          'Cache-Control': 'public, max-age=3600',
          'X-Content-Type-Options': 'nosniff',
        };
        return { status: 200, text: await textOf(file), headers };
      },
    }),
  ];
}

/**
 * Reads a file when the file is requested for the first time. The files are large, and few gateways ever serve them.
 */
const textOf = memoize((file: File): Promise<string> => {
  // The module is loaded only when it is needed. shared/node-http.ts gives the reason.
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  return readFile(join(import.meta.dirname, 'assets', file), 'utf8').catch(() =>
    readFile(join(swaggerUi(), file), 'utf8'),
  );
});

function swaggerUi(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
