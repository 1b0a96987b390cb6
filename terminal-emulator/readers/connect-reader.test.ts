import { expect, test } from 'vitest';
import type { ConnectedReader } from '../../shared/emulator/screen.ts';
import { Journal } from '../../shared/journal.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import type { MaskedCard } from '../cards/presented-card.ts';
import { AttachedReader } from './attached-reader.ts';
import { connectReader, type ReaderTerminal } from './connect-reader.ts';
import { CcidEmulator } from './emulators/ccid-emulator.ts';
import { createEmvCard } from './emulators/emv-card.ts';
import { contactlessPdol } from './emulators/emv-card-definition.ts';
import { createMsrEmulator } from './emulators/msr-emulator.ts';
import { Pn532Emulator } from './emulators/pn532-emulator.ts';
import { type ByteTransport, ReaderOpenError } from './reader-driver.ts';
import { parseReaderSpec } from './reader-spec.ts';
import { createMemoryLine } from './transport/memory-transport.fixture.ts';
import { visaCard, visaDefinition } from './visa-card.fixture.ts';

type State = ReturnType<ReaderTerminal['screen']>;
const idle: State = { state: 'idle', entries: [] };
const asking: State = { state: 'presentCard', entries: ['ICC', 'Contactless', 'MagStripe', 'Keyed'] };

/**
 * A terminal's own slot. It records each call, the cards that were presented, and the reader's state that was shown.
 */
class Slot implements ReaderTerminal {
  readonly calls: string[] = [];
  readonly cards: MaskedCard[] = [];
  shown: ConnectedReader | undefined;
  #now: State = idle;
  #changed = () => {};

  screen = () => this.#now;
  sale = () => (this.#now.state === 'idle' ? undefined : { amount: 1_234, currency: 'EUR' });
  remove = () => void this.calls.push('remove');

  onChange(listener: () => void) {
    this.#changed = listener;
    return () => {};
  }
  present(how: string, card: MaskedCard): unknown {
    this.calls.push(`${how} ${card.maskedPan || card.id}`);
    this.cards.push(card);
    return undefined;
  }
  showReader(_name: string, reader: ConnectedReader | undefined): void {
    this.shown = reader;
  }
  become(state: State): void {
    this.#now = state;
    this.#changed();
  }
}

const visa = () => visaCard({ pdol: contactlessPdol, verification: 'onlinePin' });

async function setup(spec: string, plug: (line: ByteTransport, clock: VirtualClock) => void) {
  const clock = new VirtualClock({ startMs: 0 });
  let far: ByteTransport | undefined;
  let plugged = true;
  const reader = new AttachedReader(
    {
      spec: parseReaderSpec(spec),
      fingerprintKey: new Uint8Array(16),
      openLine: async () => {
        if (!plugged) throw new ReaderOpenError('NO_PORT', 'not there');
        const [near, device] = createMemoryLine();
        far = device;
        plug(device, clock);
        return near;
      },
    },
    { clock, random: makeSeededRandom(1), journal: new Journal(clock) },
  );
  const slot = new Slot();
  const off = connectReader(reader, slot, [{ iin: '476173', label: 'Test card' }]);
  await clock.advance(2_000);
  const unplug = async () => {
    plugged = false;
    await far?.close();
  };
  const replug = () => {
    plugged = true;
  };
  return { clock, reader, slot, off, unplug, replug };
}

test('a card is only tapped at the terminal while the terminal asks for one', async () => {
  let chip: Pn532Emulator | undefined;
  const { clock, slot } = await setup('pn532:x', (line, now) => {
    chip = new Pn532Emulator(line, now);
  });
  chip?.present(visa());
  await clock.advance(2_000);
  expect(slot.calls).toEqual([]);
  slot.become(asking);
  await clock.advance(2_000);
  expect(slot.calls).toEqual(['tap 476173 **** 0010']);
  expect(slot.cards[0]).toMatchObject({ label: 'Test card', contactless: { aboveLimit: 'pin' } });
  slot.become({ state: 'authorizing', entries: [] });
  chip?.remove();
  await clock.advance(2_000);
  expect(slot.calls).toEqual(['tap 476173 **** 0010']);
});

test('a failed tap is reported once, while the card that is still held there is read again', async () => {
  let chip: Pn532Emulator | undefined;
  const { clock, slot } = await setup('pn532:x', (line, now) => {
    chip = new Pn532Emulator(line, now);
  });
  slot.become(asking);
  const card = visa();
  let failures = 2;
  chip?.present({
    uid: card.uid,
    ats: card.ats,
    reset: () => card.reset(),
    transmit: (apdu, contactless) =>
      failures-- > 0 ? Uint8Array.of(0x6f) : card.transmit(apdu, contactless),
  });
  await clock.advance(5_000);
  expect(slot.calls).toEqual(['tap reader-unreadable', 'tap 476173 **** 0010']);
});

test('two cards tapped together are not read, and the terminal reports a collision', async () => {
  let chip: Pn532Emulator | undefined;
  const { clock, slot } = await setup('pn532:x', (line, now) => {
    chip = new Pn532Emulator(line, now);
  });
  slot.become(asking);
  const [one, other] = [visa(), createEmvCard({ ...visaDefinition, uid: 'DEAD0002' })];
  chip?.present(one, other);
  await clock.advance(5_000);
  expect(slot.cards.map(({ tapFailure }) => tapFailure)).toEqual(['several']);
  chip?.remove(other);
  await clock.advance(3_000);
  expect(slot.calls).toEqual(['tap reader-unreadable', 'tap 476173 **** 0010']);
});

test("a card in the reader, before or during a payment, is in the terminal's slot until it is taken out", async () => {
  let chip: CcidEmulator | undefined;
  const { clock, slot } = await setup('ccid:x', (line, now) => {
    chip = new CcidEmulator(line, now);
  });
  chip?.insert(visa());
  await clock.advance(3_000);
  expect(slot.calls).toEqual(['insert 476173 **** 0010']);
  expect(slot.cards[0]).toMatchObject({ chip: { verification: 'onlinePin' } });
  slot.become(asking);
  slot.become({ state: 'pin', entries: [] });
  await clock.advance(3_000);
  expect(slot.calls).toHaveLength(1);
  chip?.remove();
  await clock.advance(3_000);
  expect(slot.calls).toEqual(['insert 476173 **** 0010', 'remove']);
});

test('a chip that cannot be read is presented to the terminal as unreadable', async () => {
  let chip: CcidEmulator | undefined;
  const { clock, slot } = await setup('ccid:x', (line, now) => {
    chip = new CcidEmulator(line, now);
  });
  slot.become(asking);
  const broken = createEmvCard({
    id: 'broken',
    applications: [],
    pse: false,
    ppse: false,
    protocol: 'T=0',
    uid: '00000000',
    unreadable: 'always',
  });
  chip?.insert(broken);
  await clock.advance(5_000);
  expect(slot.calls).toEqual(['insert reader-unreadable']);
  expect(slot.cards[0]).toMatchObject({ chip: { readable: 'no' } });
});

test('a card pulled out before it was read is no unreadable chip, and the terminal keeps asking for one', async () => {
  let chip: CcidEmulator | undefined;
  const { clock, slot } = await setup('ccid:x', (line, now) => {
    chip = new CcidEmulator(line, now);
  });
  slot.become(asking);
  for (let time = 0; time < 3; time++) {
    const card = visa();
    chip?.insert({
      ...card,
      reset: () => card.reset(),
      transmit: (apdu) => card.transmit(apdu),
      transmitT0(tpdu) {
        if (tpdu[1] === 0xa8) queueMicrotask(() => chip?.remove());
        return card.transmitT0(tpdu);
      },
    });
    await clock.advance(2_000);
  }
  expect(slot.calls).toEqual([]);
  chip?.insert(visa());
  await clock.advance(2_000);
  expect(slot.calls).toEqual(['insert 476173 **** 0010']);
});

test('a swipe reaches the terminal as a swipe, even a bad one', async () => {
  let line: ByteTransport | undefined;
  const { clock, slot } = await setup('msr:x', (device) => {
    line = device;
  });
  slot.become(asking);
  const stripes = createMsrEmulator(line!, { framing: 'magtek' });
  await stripes.swipe({ track1: '%E?', track2: ';E?' });
  await clock.advance(500);
  await stripes.swipe({ track2: ';4761739001010010=27122011845888890000?' });
  await clock.advance(500);
  expect(slot.calls).toEqual(['swipe reader-unreadable', 'swipe 476173 **** 0010']);
  // The check digit reveals that a digit was misread (B206).
  await stripes.swipe({ track2: ';4761739001010020=27122011845888890000?' });
  await clock.advance(500);
  expect(slot.calls.slice(2)).toEqual(['swipe reader-unreadable']);
});

test('unplugging a reader does not disturb the payment, and its card is given back afterwards', async () => {
  let chip: CcidEmulator | undefined;
  const { clock, slot, unplug, replug, reader } = await setup('ccid:x', (line, now) => {
    chip = new CcidEmulator(line, now);
  });
  slot.become(asking);
  chip?.insert(visa());
  await clock.advance(3_000);
  slot.become({ state: 'authorizing', entries: [] });
  await unplug();
  await clock.advance(1_000);
  expect(slot.calls).toEqual(['insert 476173 **** 0010']);
  slot.become({ state: 'removeCard', entries: [] });
  expect(slot.calls).toEqual(['insert 476173 **** 0010', 'remove']);
  slot.become(idle);
  replug();
  await clock.advance(10_000);
  expect(reader.status.state).toBe('ready');
  slot.become(asking);
  chip?.insert(visa());
  await clock.advance(3_000);
  expect(slot.calls).toEqual(['insert 476173 **** 0010', 'remove', 'insert 476173 **** 0010']);
});

test('a terminal without power watches no reader', async () => {
  let chip: CcidEmulator | undefined;
  const { clock, slot, off } = await setup('ccid:x', (line, now) => {
    chip = new CcidEmulator(line, now);
  });
  slot.become({ state: 'off', entries: [] });
  chip?.insert(visa());
  await clock.advance(3_000);
  expect(slot.calls).toEqual([]);
  slot.become(idle);
  await clock.advance(3_000);
  expect(slot.calls).toEqual(['insert 476173 **** 0010']);
  off();
});

test('the terminal shows which reader answers, that it is unplugged, and nothing once it is disconnected', async () => {
  const { clock, slot, off, unplug, replug } = await setup('ccid:x', (line, now) => {
    new CcidEmulator(line, now);
  });
  expect(slot.shown).toMatchObject({ name: 'ccid:x', ready: true, line: expect.stringMatching(/ on x$/) });
  await unplug();
  await clock.advance(1_000);
  expect(slot.shown).toEqual({ name: 'ccid:x', ready: false, line: 'unplugged, waiting for x' });
  replug();
  await clock.advance(10_000);
  expect(slot.shown?.ready).toBe(true);
  off();
  expect(slot.shown).toBeUndefined();
});
