export { readConsoleFile } from './console-file.ts';
export type { TraceData, TracedFailure, TracedSale } from './page/trace/trace-data.ts';
export { bundlePage, pageNames } from './page-files.ts';
export { makeTracePage } from './trace-page.ts';
