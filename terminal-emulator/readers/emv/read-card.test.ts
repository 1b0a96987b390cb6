import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { scaledDraws } from '../../../test/draws.ts';
import { createEmvCard } from '../emulators/emv-card.ts';
import {
  contactlessPdol,
  type EmvApplicationDefinition,
  type EmvCardDefinition,
} from '../emulators/emv-card-definition.ts';
import { concatBytes, fromHex, toHex } from '../hex.ts';
import { type ApduChannel, CardError, type CardRead } from '../reader-driver.ts';
import { visaApplication, visaDefinition } from '../visa-card.fixture.ts';
import { ppseName, pseName } from './apdu.ts';
import { readCard } from './read-card.ts';
import { encodeTlv } from './tlv.ts';

const visa: EmvApplicationDefinition = {
  ...visaApplication,
  gpo: 'format1',
  sequenceNumber: 1,
  verification: 'offlinePin',
};
const maestro: EmvApplicationDefinition = {
  ...visa,
  aid: 'A0000000043060',
  label: 'MAESTRO',
  pan: '6799998900000200018',
  priority: 2,
};
const card: EmvCardDefinition = { ...visaDefinition, applications: [visa] };

interface Recorded extends ApduChannel {
  readonly commands: string[];
}

function channel(
  answer: (apdu: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  contactless = false,
): Recorded {
  const commands: string[] = [];
  const transmit = async (apdu: Uint8Array) => {
    commands.push(toHex(apdu));
    return answer(apdu);
  };
  return { atr: new Uint8Array(), contactless, commands, transmit };
}

function channelOf(definition: Partial<EmvCardDefinition>, contactless = false): Recorded {
  const chip = createEmvCard({ ...card, ...definition });
  return channel((apdu) => chip.transmit(apdu, contactless), contactless);
}

const random = makeSeededRandom(1);

function read(from: ApduChannel): Promise<CardRead> {
  const request = { amount: 100, currency: 'USD', signal: new AbortController().signal };
  return readCard(from, request, {
    clock: new VirtualClock({ startMs: 0 }),
    random,
    fingerprintKey: new Uint8Array(32).fill(1),
  });
}

test('a contact card with a directory is read', async () => {
  expect(await read(channelOf({}))).toEqual({
    entry: 'ICC',
    maskedPan: '476173 **** 0010',
    fingerprint: expect.stringMatching(/^[0-9A-F]{16}$/),
    checkDigitValid: true,
    brand: 'visa',
    expiry: '1227',
    country: '840',
    sequenceNumber: '01',
    applications: [
      expect.objectContaining({
        aid: 'A0000000031010',
        label: 'VISA CREDIT',
        priority: 1,
        brand: 'visa',
        maskedPan: '476173 **** 0010',
      }),
    ],
    selectedAid: 'A0000000031010',
    verification: 'offlinePin',
    serviceCode: '201',
  });
});

test.each([
  ['format 1', { gpo: 'format1' as const }],
  ['format 2', { gpo: 'format2' as const }],
  ['a PDOL', { pdol: contactlessPdol }],
  ['everything in the processing options', { quick: true, pdol: contactlessPdol }],
  ['no track 2', { withoutTrack2: true }],
])('a contactless card with %s is read', async (_name, application) => {
  const result = await read(channelOf({ applications: [{ ...visa, ...application }] }, true));
  expect(result).toMatchObject({ entry: 'Contactless', maskedPan: '476173 **** 0010', expiry: '1227' });
});

test('a card without a directory is found by trying known names', async () => {
  const result = await read(channelOf({ pse: false, applications: [maestro] }));
  expect(result).toMatchObject({ brand: 'maestro', maskedPan: '679999 **** 0018' });
  expect(result.applications.map(({ aid }) => aid)).toEqual(['A0000000043060']);
});

test.each([
  ['a record cut off', '70 1B 61194F07'],
  ['a record that is no template', '61 09 4F07A0000000031010'],
  ['a record without an application', '70 02 8800'],
  ['an application without a name', '70 06 6104 50025649'],
])('if a directory has %s, the list of known names is used instead', async (_what, record) => {
  const chip = createEmvCard({ ...card, applications: [visa, maestro] });
  let inDirectory = false;
  const broken = channel((apdu) => {
    if (apdu[1] === 0xa4) inDirectory = toHex(apdu).includes(toHex(pseName));
    if (!inDirectory || apdu[1] !== 0xb2 || apdu[2] !== 1) return chip.transmit(apdu);
    return concatBytes(fromHex(record), fromHex('9000'));
  });
  const result = await read(broken);
  expect(result.applications.map(({ aid }) => aid)).toEqual(['A0000000031010', 'A0000000043060']);
});

test('an endless directory is read up to its sixteenth record', async () => {
  const chip = createEmvCard(card);
  let inDirectory = false;
  const endless = channel((apdu) => {
    if (apdu[1] === 0xa4) inDirectory = toHex(apdu).includes(toHex(pseName));
    return chip.transmit(inDirectory && apdu[1] === 0xb2 ? Uint8Array.from(apdu).with(2, 1) : apdu);
  });
  expect((await read(endless)).applications.map(({ aid }) => aid)).toEqual(['A0000000031010']);
  const directory = endless.commands.filter((command) => /^00B2..0C/.test(command));
  expect(new Set(directory).size).toBe(16);
});

test.each([
  ['contact', pseName, false],
  ['contactless', ppseName, true],
] as const)(
  'if a %s directory is malformed, the list of known names is used, too',
  async (_what, name, contactless) => {
    const chip = createEmvCard({ ...card, applications: [visa] });
    const broken = channel(
      (apdu) =>
        toHex(apdu).includes(toHex(name)) ? fromHex('6F20A5049000') : chip.transmit(apdu, contactless),
      contactless,
    );
    expect((await read(broken)).applications.map(({ aid }) => aid)).toEqual(['A0000000031010']);
  },
);

test('if several applications match a name, a blocked one is skipped', async () => {
  const unionPay = { ...visa, aid: 'A000000333010101', label: 'UNIONPAY DEBIT', pan: '6250941006528599' };
  const credit = { ...unionPay, aid: 'A000000333010102', label: 'UNIONPAY CREDIT' };
  const applications = [{ ...unionPay, refuses: 'blocked' as const }, credit];
  const result = await read(channelOf({ pse: false, applications }));
  expect(result.applications.map(({ label }) => label)).toEqual(['UNIONPAY CREDIT']);
});

test('of several applications the one with the highest priority is read, and all are reported', async () => {
  const other = { ...maestro, aid: 'A0000000042203' };
  const result = await read(channelOf({ applications: [other, { ...maestro, priority: 0 }, visa] }));
  expect(result.selectedAid).toBe('A0000000031010');
  expect(result.applications.map(({ aid, priority }) => [aid, priority])).toEqual([
    ['A0000000031010', 1],
    ['A0000000042203', 2],
    ['A0000000043060', 0],
  ]);
});

test.each(['blocked', 'absent', 'options'] as const)(
  'an application that refuses (%s) is dropped from the list, and the next is used',
  async (refuses) => {
    for (const contactless of [false, true]) {
      const result = await read(channelOf({ applications: [{ ...visa, refuses }, maestro] }, contactless));
      expect(result).toMatchObject({
        maskedPan: '679999 **** 0018',
        brand: 'maestro',
        selectedAid: 'A0000000043060',
      });
      expect(result.applications.map(({ aid, label }) => [aid, label])).toEqual([
        ['A0000000043060', 'MAESTRO'],
      ]);
    }
  },
);

test('each application of a card has a number of its own', async () => {
  const other = { ...maestro, expiry: '290228', verification: 'onlinePin' as const };
  for (const contactless of [false, true]) {
    const result = await read(channelOf({ applications: [other, visa] }, contactless));
    expect(result).toMatchObject({ maskedPan: '476173 **** 0010', brand: 'visa', expiry: '1227' });
    expect(
      result.applications.map((each) => [each.maskedPan, each.brand, each.expiry, each.verification]),
    ).toEqual([
      ['476173 **** 0010', 'visa', '1227', 'offlinePin'],
      ['679999 **** 0018', 'maestro', '0229', 'onlinePin'],
    ]);
    expect(new Set(result.applications.map(({ fingerprint }) => fingerprint)).size).toBe(2);
    expect(result.fingerprint).toBe(result.applications[0]?.fingerprint);
  }
});

test('an application that gives no number is left out if another gives one', async () => {
  const purse = { ...maestro, aid: 'A0000000999999', pan: '', withoutTrack2: true };
  const result = await read(channelOf({ applications: [visa, purse] }));
  expect(result.applications.map(({ aid }) => aid)).toEqual(['A0000000031010']);
});

test('a tapped card that is taken away after its first application was read has only that one', async () => {
  const chip = createEmvCard({ ...card, applications: [visa, maestro] });
  const short = (contactless: boolean) =>
    channel((apdu) => {
      if (toHex(apdu).includes('A0000000043060')) throw new CardError('REMOVED');
      return chip.transmit(apdu, contactless);
    }, contactless);
  expect((await read(short(true))).applications.map(({ aid }) => aid)).toEqual(['A0000000031010']);
  await expect(read(short(false))).rejects.toMatchObject({ code: 'REMOVED' });
});

test('an application whose conditions are not met is skipped for the next one', async () => {
  const chip = createEmvCard({ ...card, applications: [visa, maestro] });
  let inVisa = false;
  const both = channel((apdu) => {
    if (apdu[1] === 0xa4) inVisa = toHex(apdu).includes('A0000000031010');
    return inVisa && apdu[1] === 0xa8 ? fromHex('6985') : chip.transmit(apdu);
  });
  expect(await read(both)).toMatchObject({ selectedAid: 'A0000000043060', brand: 'maestro' });
});

test('a preferred name is shown if its alphabet is known', async () => {
  const applications = [{ ...visa, preferredName: 'CARTE BLEUE' }];
  const withoutDirectory = await read(channelOf({ pse: false, applications }));
  expect(withoutDirectory.applications[0]?.label).toBe('CARTE BLEUE');
});

test('the number is taken from the stripe data of contactless stripe mode', async () => {
  const stripeMode = channel((apdu) => {
    const ok = (bytes: Uint8Array) => concatBytes(bytes, fromHex('9000'));
    if (apdu[1] === 0xa4 && apdu[4] === 14)
      return ok(encodeTlv(0x6f, encodeTlv(0x61, encodeTlv(0x4f, fromHex('A0000000041010')))));
    if (apdu[1] === 0xa4) return ok(fromHex('6F00'));
    if (apdu[1] === 0xa8) return ok(fromHex('770A 82020000 9404 08010100'));
    return ok(encodeTlv(0x70, encodeTlv(0x9f6b, fromHex('5413330089099130D25122010000000000000F'))));
  }, true);
  expect(await read(stripeMode)).toMatchObject({
    brand: 'mc',
    maskedPan: '541333 **** 9130',
    expiry: '1225',
    serviceCode: '201',
  });
});

test('a cryptogram card is asked for the amount 0 and a number that never repeats', async () => {
  const reported = async () => {
    const asked = channelOf({ applications: [{ ...visa, quick: true, pdol: contactlessPdol }] }, true);
    await read(asked);
    const options = asked.commands.find((command) => command.startsWith('80A8')) ?? '';
    const [, amounts, number] = /^80A80000238321.{8}(.{24}).{26}(.{8})00$/.exec(options) ?? [];
    return { amounts, number };
  };
  const taps = [await reported(), await reported(), await reported()];
  expect(taps.map(({ amounts }) => amounts)).toEqual(Array(3).fill('0'.repeat(24)));
  expect(new Set(taps.map(({ number }) => number)).size).toBe(3);
});

test('GENERATE AC is never sent', async () => {
  for (const contactless of [false, true]) {
    const asked = channelOf({ applications: [visa, maestro] }, contactless);
    await read(asked);
    expect(asked.commands.map((command) => command.slice(2, 4))).not.toContain('AE');
    expect(asked.commands.every((command) => /^(00A4|00B2|80A8)/.test(command))).toBe(true);
  }
});

test('the fingerprint is the same for the same card and key, however it is read', async () => {
  const [inserted, tapped] = await Promise.all([read(channelOf({})), read(channelOf({}, true))]);
  const other = await read(channelOf({ applications: [maestro] }));
  expect(tapped.fingerprint).toBe(inserted.fingerprint);
  expect(other.fingerprint).not.toBe(inserted.fingerprint);
});

test('nothing that a read returns contains the number', async () => {
  const text = JSON.stringify(await read(channelOf({ applications: [visa] })));
  expect(text).not.toContain('4761739001010010');
  expect(text).not.toContain('73900101');
});

test.each<[string, Partial<EmvApplicationDefinition>]>([
  ['its label', { label: '4761739001010010' }],
  ['its label, in groups', { label: '4761 7390 0101 0010' }],
  ['its label, behind letters', { label: 'VISA4761739001010010' }],
  ['its preferred name', { preferredName: 'N 4761-7390.0101/0010' }],
  ['its label, without a right check digit', { label: '4761739001010019', pan: '4761739001010019' }],
  ['what should be a sequence number', { sequenceNumber: 4761739001010010 }],
])('a card that has its number in %s does not reveal it', async (_where, changes) => {
  for (const pse of [true, false]) {
    const result = await read(channelOf({ pse, applications: [{ ...visa, ...changes }] }));
    expect(result.maskedPan).toMatch(/^476173 \*{4} 001\d$/);
    const reported = JSON.stringify(result).replaceAll(/[^0-9A-Za-z",:]/g, '');
    expect(reported).not.toMatch(/4761739|3900101|9001010/);
  }
});

test('an application whose name contains its number is left out', async () => {
  const named = { ...visa, aid: 'A000000003476173900101001001', priority: 1 };
  const result = await read(channelOf({ applications: [named, maestro] }));
  expect(result.applications.map(({ aid }) => aid)).toEqual(['A0000000043060']);
});

test.each<[string, Partial<EmvCardDefinition>, string]>([
  ['no card application', { applications: [] }, 'UNSUPPORTED_APP'],
  ['a foreign chip', { unreadable: 'always' }, 'UNSUPPORTED_APP'],
  ['no number', { applications: [{ ...visa, pan: '', withoutTrack2: true }] }, 'BAD_READ'],
])('%s is reported as a card error', async (_name, definition, code) => {
  await expect(read(channelOf(definition))).rejects.toMatchObject({ code });
});

test('a card that keeps the terminal busy without end is a card error', async () => {
  // The card has a directory of hundreds of applications, and none of them can be used.
  const endless = channel((apdu) => {
    const [, ins = 0, record = 0, , length] = apdu;
    const ok = (bytes: Uint8Array) => concatBytes(bytes, fromHex('9000'));
    if (ins === 0xa8) return fromHex('6985');
    if (ins === 0xa4) return ok(length === 14 ? fromHex('6F05 A503 880101') : fromHex('6F00'));
    const names = Array.from({ length: 20 }, (_, at) => Uint8Array.of(0xa0, 0, 0, record, at));
    return ok(
      encodeTlv(
        0x70,
        names.map((name) => encodeTlv(0x61, encodeTlv(0x4f, name))),
      ),
    );
  });
  await expect(read(endless)).rejects.toMatchObject({ code: 'BAD_READ' });
  expect(endless.commands.length).toBeGreaterThan(100);
  expect(endless.commands.length).toBeLessThanOrEqual(160);
});

test('reading any card ends with a card or a card error', async () => {
  const answers = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 260 }),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => concatBytes(bytes, fromHex('9000'))),
      fc.constantFrom('9000', '6A82', '6985', '').map((hex) => fromHex(hex)),
    ),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(answers, fc.boolean(), async (replies, contactless) => {
      let at = 0;
      const hostile = channel(() => replies[at++ % replies.length]!, contactless);
      await expectReadOrCardError(hostile);
    }),
    { seed: 7, numRuns: scaledDraws(100) },
  );
});

test('reading a real answer with one changed byte ends with a card or a card error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(12), fc.nat(), fc.nat(255), async (which, at, value) => {
      const chip = createEmvCard({ ...card, applications: [visa, maestro] });
      let count = 0;
      const noisy = channel((apdu) => {
        const answer = Uint8Array.from(chip.transmit(apdu, true));
        if (count++ === which) answer[at % answer.length] = value;
        return answer;
      }, true);
      await expectReadOrCardError(noisy);
    }),
    { seed: 8, numRuns: scaledDraws(100) },
  );
});

async function expectReadOrCardError(from: ApduChannel): Promise<void> {
  try {
    expect((await read(from)).maskedPan).toMatch(/^\d{6} \*{4} \d{4}$/);
  } catch (error) {
    expect(error).toBeInstanceOf(CardError);
  }
}

test('a card is asked only for its applications, their options and their records', async () => {
  // The commands are only SELECT, GET PROCESSING OPTIONS and READ RECORD: no cryptogram and no PIN is requested, and
  // nothing is written.
  for (const contactless of [false, true])
    for (const application of [visa, { ...visa, pdol: contactlessPdol, gpo: 'format2' as const }]) {
      const from = channelOf({ applications: [application, maestro] }, contactless);
      await read(from);
      const instructions = new Set(from.commands.map((command) => command.slice(2, 4)));
      expect([...instructions].sort()).toEqual(['A4', 'A8', 'B2']);
    }
});
