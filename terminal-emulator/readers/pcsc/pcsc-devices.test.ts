import { expect, test } from 'vitest';
import { describeFirstDevice, entryModesOfSlot, findMatchingPcscDevices } from './pcsc-devices.ts';

/** Tests which slots in the list of PC/SC belong to the same device (B205). */

const uTrust = (at: string, place: string, serial = '') =>
  `Identiv uTrust 4701 F Dual Interface Reader [uTrust 4701 F ${at} Reader]${serial} ${place} 00`;
const acr1252 = (at: string, place: string) =>
  `ACS ACR1252 Dual Reader [ACR1252 Dual Reader ${at}] ${place} 00`;

test.each([
  ['two interfaces of one model', [uTrust('Contact', '00'), uTrust('CL', '01')], [2]],
  [
    'two devices of a model without serial numbers',
    [acr1252('PICC', '00'), acr1252('ICC', '01'), acr1252('PICC', '02'), acr1252('ICC', '03')],
    [2, 2],
  ],
  [
    'two devices of a model with serial numbers',
    [
      uTrust('Contact', '00', ' (53201)'),
      uTrust('CL', '01', ' (53201)'),
      uTrust('Contact', '02', ' (53202)'),
      uTrust('CL', '03', ' (53202)'),
    ],
    [2, 2],
  ],
  ['two readers with one slot', ['ACS ACR122U 00 00', 'ACS ACR122U 01 00'], [1, 1]],
  ['slots at one interface', ['Virtual PCD 00 00', 'Virtual PCD 00 01'], [2]],
  [
    'names of Windows',
    [
      'Identiv uTrust 4701 F Contact Reader 0',
      'Identiv uTrust 4701 F CL Reader 0',
      'ACS ACR122 0',
      'ACS ACR122 1',
    ],
    [2, 1, 1],
  ],
])('%s are recognised as different devices', (_what, slots, sizes) => {
  const devices = findMatchingPcscDevices(slots, undefined);
  expect(devices.flat()).toEqual(slots);
  expect(devices.map((device) => device.length)).toEqual(sizes);
});

test('a name selects the first device that matches, with all its matching slots, and the others are listed', () => {
  const slots = [
    'ACS ACR122U 00 00',
    uTrust('Contact', '01', ' (53201)'),
    uTrust('CL', '02', ' (53201)'),
    uTrust('Contact', '03', ' (53202)'),
    uTrust('CL', '04', ' (53202)'),
  ];
  const model = 'Identiv uTrust 4701 F Dual Interface Reader';
  expect(findMatchingPcscDevices(slots, 'utrust')[0]).toEqual(slots.slice(1, 3));
  expect(describeFirstDevice(findMatchingPcscDevices(slots, 'utrust'), 'utrust')).toBe(
    `${model} (53201), the first of 2 readers that match; the others are ${model} (53202)`,
  );
  expect(findMatchingPcscDevices(slots, 'F CL')[0]).toEqual(slots.slice(2, 3));
  expect(describeFirstDevice(findMatchingPcscDevices(slots, '53202'), '53202')).toBe(`${model} (53202)`);
  expect(describeFirstDevice(findMatchingPcscDevices(slots, undefined), undefined)).toBe('ACS ACR122U 00 00');
  expect(findMatchingPcscDevices(slots, 'OMNIKEY')).toEqual([]);
});

test('a slot for a security module is used only if it is named', () => {
  const slots = [acr1252('SAM', '00'), acr1252('PICC', '01')];
  expect(findMatchingPcscDevices(slots, 'ACR1252')).toEqual([[slots[1]]]);
  expect(findMatchingPcscDevices(slots, undefined)).toEqual([[slots[1]]]);
  expect(findMatchingPcscDevices(slots, 'sam')).toEqual([[slots[0]]]);
  expect(findMatchingPcscDevices(slots.slice(0, 1), undefined)).toEqual([]);
});

test.each([
  ['ACS ACR122U 00 00', 'Contactless'],
  [acr1252('PICC', '00'), 'Contactless'],
  ['ACS ACR39U ICC Reader 00 00', 'ICC'],
  [uTrust('CL', '01'), 'Contactless'],
  [uTrust('Contact', '00'), 'ICC'],
  ['HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422CL Smartcard Reader] (KC01) 00 00', 'Contactless'],
  ['Identiv uTrust 4701 F CL Reader 0', 'Contactless'],
])('a slot named %s takes cards by the entry mode %s', (slot, entry) => {
  expect(entryModesOfSlot(slot, [slot])).toEqual([entry]);
});

test('a slot whose name does not say its kind gets the kind that the other slot lacks, or both', () => {
  const [chip, tap] = ['5422', '5422CL'].map(
    (at, place) =>
      `HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY ${at} Smartcard Reader] (KC01) 0${place} 00`,
  ) as [string, string];
  expect(entryModesOfSlot(chip, [chip, tap])).toEqual(['ICC']);
  expect(entryModesOfSlot(chip, [chip])).toEqual(['ICC', 'Contactless']);
  const alike = ['Virtual PCD 00 00', 'Virtual PCD 00 01'];
  expect(entryModesOfSlot('Virtual PCD 00 00', alike)).toEqual(['ICC', 'Contactless']);
});
