export { argvWithHostsFile, checkHostsPossible } from './hosts/mounted-hosts.ts';
export { type CommandRedirection, VendorRedirection } from './leading.ts';
export { redirectedPort, type Vendor, vendors } from './vendors.ts';
