import { expect, test } from 'vitest';
import { type Vendor, vendors } from '../vendors.ts';
import { hostsFileText } from './mounted-hosts.ts';

test('the vendor hosts get a new address, and all other names keep theirs', () => {
  const adyen = vendors.adyen as Vendor;
  const [host = ''] = adyen.hosts;
  const text = `127.0.0.1 localhost ${host.toUpperCase()} # of the machine\n192.0.2.1\t${host}\n::1 localhost\n# ${host}\n`;
  const changed = hostsFileText(adyen, text).split('\n');
  expect(changed.slice(0, 3)).toEqual(['127.0.0.1\tlocalhost', '::1 localhost', `# ${host}`]);
  expect(changed.slice(3)).toEqual([...adyen.hosts.map((each) => `127.0.0.1\t${each}`), '']);
});
