import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import type { ContactlessCard } from '../emulators/contactless-field.ts';
import { createEmvCard } from '../emulators/emv-card.ts';
import { contactlessPdol, type EmvApplicationDefinition } from '../emulators/emv-card-definition.ts';
import { createPn532Emulator } from '../emulators/pn532-emulator.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.ts';
import { createPn532Driver } from './pn532-driver.ts';

const visa: EmvApplicationDefinition = {
  aid: 'A0000000031010',
  label: 'VISA CREDIT',
  priority: 1,
  pdol: contactlessPdol,
  gpo: 'format2',
  pan: '4761739001010010',
  expiry: '271231',
  serviceCode: '201',
  country: '840',
  sequenceNumber: 1,
};

function contactlessCard(application: Partial<EmvApplicationDefinition> = {}): ContactlessCard {
  return createEmvCard({
    id: 'visa',
    applications: [{ ...visa, ...application }],
    pse: true,
    ppse: true,
    protocol: 'T=0',
    uid: '08DEAD01',
  });
}

function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const chip = createPn532Emulator(device, clock);
  const driver = createPn532Driver(host, { clock, fingerprintKey: new Uint8Array(32) });
  const events: ReaderEvent[] = [];
  const disarm = new AbortController();
  const arm = () =>
    driver.arm({ entries: ['Contactless'], amount: 100, currency: 'USD', signal: disarm.signal }, (event) =>
      events.push(event),
    );
  return { clock, host, device, chip, driver, events, disarm, arm };
}

const types = (events: ReaderEvent[]) => events.map(({ type }) => type);

test('a PN532 that is opened tells its firmware', async () => {
  const { driver } = setup();
  const info = await driver.open(new AbortController().signal);
  expect(info).toEqual({ driver: 'pn532', description: 'PN532 firmware 1.6', entries: ['Contactless'] });
});

test('a tapped card is present, read and, once taken away, removed', async () => {
  const { driver, clock, chip, events, disarm, arm } = setup();
  await driver.open(new AbortController().signal);
  const armed = arm();
  await clock.advance(1_000);
  expect(events).toEqual([]);
  chip.present(contactlessCard());
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read']);
  expect(events[1]).toMatchObject({
    read: {
      entry: 'Contactless',
      maskedPan: '476173 **** 0010',
      brand: 'visa',
      expiry: '1227',
      country: '840',
      sequenceNumber: '01',
      selectedAid: 'A0000000031010',
      serviceCode: '201',
    },
  });
  chip.remove();
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
  chip.present(contactlessCard({ aid: 'A0000000041010', pan: '5413330089099130' }));
  await clock.advance(500);
  disarm.abort();
  await clock.advance(1_000);
  await armed;
  expect(types(events).slice(3)).toEqual(['card.present', 'card.read']);
});
