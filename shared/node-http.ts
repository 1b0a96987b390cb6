/**
 * Node's http and https, for those that serve or call. An `import` of either would read all that the module exports,
 * getters among it that load Node's `fetch` and `WebSocket`: a tenth of a start, for things that are not used here.
 */
export const {
  createServer,
  IncomingMessage: NodeRequest,
  request: requestHttp,
  ServerResponse: NodeResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http');
export const { request: requestHttps } = process.getBuiltinModule('node:https');
