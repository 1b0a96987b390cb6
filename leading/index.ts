export { argvWithHostsFile, requireHostsFileSupport } from './hosts/mounted-hosts.ts';
export { type CommandRedirection, VendorRedirection } from './leading.ts';
export { type Vendor, vendorHostPort, vendors } from './vendors.ts';
