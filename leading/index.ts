export { checkHosts, withHosts } from './hosts/mounted-hosts.ts';
export { Leading, type Led } from './leading.ts';
export { type Vendor, vendorPort, vendors } from './vendors.ts';
