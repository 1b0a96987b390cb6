'use strict';
// Node loads this into every program that the command starts (NODE_OPTIONS). A connection to one of the vendor's hosts goes to the
// vendor server instead, whichever agent opens it. The name of the host stays in SNI, in `Host` and in the check of the certificate.
const { Socket } = require('node:net');

const { port, hosts } = JSON.parse(process.env.PINPAD_LEADS ?? '{"hosts":[]}');
const { connect } = Socket.prototype;

Socket.prototype.connect = function (...given) {
  // net.connect and tls.connect pass the options and the callback in one list. Node marks this list with a symbol.
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const options = typeof first === 'object' && first !== null ? first : { port: first, host: second };
  const host = typeof options.host === 'string' ? options.host.toLowerCase().replace(/\.$/, '') : '';
  if (Number(options.port) !== 443 || !hosts.includes(host)) return connect.apply(this, given);
  const callback = (Array.isArray(given[0]) ? given[0] : given).find((each) => typeof each === 'function');
  const {
    localAddress: _address,
    localPort: _port,
    path: _path,
    lookup: _lookup,
    family: _family,
    ...kept
  } = options;
  return connect.call(this, { ...kept, host: '127.0.0.1', port }, callback);
};
