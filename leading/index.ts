export { checkHostsPossible, commandWithHosts } from './hosts/mounted-hosts.ts';
export { type CommandRedirection, VendorRedirection } from './leading.ts';
export { type Vendor, vendorPort, vendors } from './vendors.ts';
