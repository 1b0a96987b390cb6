import { expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import type { EmvCard } from '../emulators/emv-card.ts';
import { fromHex, toHex } from '../hex.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { visaCard } from '../visa-card.fixture.ts';
import { acsConfirmationFrame, acsFraming } from './acs-framing.ts';
import { CcidDriver } from './ccid-driver.ts';
import {
  type CcidMessage,
  ccidCommandTypes,
  ccidResponseTypes,
  decodeCcid,
  encodeCcid,
} from './ccid-message.ts';

/**
 * Emulates an ACR1281S as its manual describes it: slot 0 is the antenna, slot 1 the chip. XfrBlock carries whole
 * APDUs. The reader reports changes with two bits for each slot. `slots` is 1 for a reader without a chip slot, such as
 * the ACR122S.
 */
function acsReader(slots: 1 | 2 = 2) {
  const clock = new VirtualClock({ startMs: 0 });
  const [near, far] = createMemoryLine();
  const decoder = acsFraming.createDecoder();
  const asked: string[] = [];
  let card: EmvCard | undefined;
  let powered = false;
  const say = (bytes: Uint8Array) => void far.write(bytes);
  const answer = (command: CcidMessage): CcidMessage => {
    const { slot, sequence } = command;
    const reply = (type: number, data = new Uint8Array(), failure?: number): CcidMessage => {
      const presence = slot === 1 && card ? (powered ? 0 : 1) : 2;
      const status = presence | (failure === undefined ? 0 : 0x40);
      return { type, slot, sequence, parameters: [status, failure ?? 0, 0], data };
    };
    if (command.type === ccidCommandTypes.escape)
      return reply(
        ccidResponseTypes.escape,
        fromHex('E100000012 4143523132383120') as Uint8Array<ArrayBuffer>,
      );
    if (slot >= slots) return reply(ccidResponseTypes.slotStatus, undefined, 0x05);
    switch (command.type) {
      case ccidCommandTypes.getSlotStatus:
        return reply(ccidResponseTypes.slotStatus);
      case ccidCommandTypes.iccPowerOff:
        powered = false;
        return reply(ccidResponseTypes.slotStatus);
      case ccidCommandTypes.iccPowerOn:
        if (slot !== 1 || !card) return reply(ccidResponseTypes.dataBlock, undefined, 0xfe);
        card.reset();
        powered = true;
        return reply(ccidResponseTypes.dataBlock, Uint8Array.from(card.atr));
      case ccidCommandTypes.xfrBlock:
        if (slot !== 1 || !card || !powered) return reply(ccidResponseTypes.dataBlock, undefined, 0xfe);
        return reply(ccidResponseTypes.dataBlock, Uint8Array.from(card.transmit(command.data)));
      default:
        return reply(ccidResponseTypes.parameters, undefined, 0x00);
    }
  };
  far.onData((bytes) => {
    for (const event of decoder.feed(bytes)) {
      const command = event.kind === 'message' ? decodeCcid(event.bytes) : undefined;
      if (!command) continue;
      asked.push(`${command.slot} ${command.type.toString(16)} ${toHex(command.data)}`.trim());
      say(acsConfirmationFrame);
      say(acsFraming.wrap(encodeCcid(answer(command))));
    }
  });
  return {
    clock,
    near,
    asked,
    send: (hex: string) => say(fromHex(hex)),
    insert(inserted: EmvCard) {
      card = inserted;
      say(fromHex('02 50 0C 5C 03'));
    },
    remove() {
      card = undefined;
      powered = false;
      say(fromHex('02 50 08 58 03'));
    },
  };
}

function driverOf({ near, clock }: ReturnType<typeof acsReader>) {
  const emv = { clock, random: makeSeededRandom(1), fingerprintKey: new Uint8Array(16) };
  return new CcidDriver(near, emv, 'acs');
}

test.each(['T=0', 'T=1'] as const)(
  'a %s chip in slot 1 is read by whole APDUs, and insertion and removal are detected immediately',
  async (protocol) => {
    const reader = acsReader();
    const driver = driverOf(reader);
    const stop = new AbortController();
    expect(await driver.open(stop.signal)).toMatchObject({ description: 'CCID reader ACR1281' });
    const events: ReaderEvent[] = [];
    const request = { entries: ['ICC'], amount: 100, currency: 'USD', signal: stop.signal } as const;
    const armed = driver.arm(request, (event) => events.push(event));
    await reader.clock.advance(100);
    reader.insert(visaCard({}, protocol));
    await reader.clock.advance(100);
    expect(events).toMatchObject([{ type: 'card.present' }, { read: { maskedPan: '476173 **** 0010' } }]);
    const exchanged = reader.asked.filter((each) => each.includes(' 6f '));
    expect(exchanged[0]).toBe('1 6f 00A404000E315041592E5359532E444446303100');
    expect(exchanged).toContain('1 6f 00B2010C00');
    // A report about the antenna does not change what is known about the chip.
    reader.send('02 50 03 53 03');
    reader.send('02 50 02 52 03');
    await reader.clock.advance(100);
    expect(events).toHaveLength(2);
    reader.remove();
    await reader.clock.advance(100);
    expect(events.at(-1)).toEqual({ type: 'card.removed', entry: 'ICC' });
    expect(reader.asked.filter((each) => !each.startsWith('1') && !each.includes(' 6b'))).toEqual([]);
    stop.abort();
    await reader.clock.advance(1_000);
    await armed;
  },
);

test('a reader without a chip slot is refused with a message that says so', async () => {
  const reader = acsReader(1);
  await expect(driverOf(reader).open(new AbortController().signal)).rejects.toThrow(/has no slot for chips/);
});
