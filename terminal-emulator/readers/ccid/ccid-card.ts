import { fetchCompleteResponse } from '../emv/complete-response.ts';
import { xorOf } from '../hex.ts';
import { type ApduChannel, CardError } from '../reader-driver.ts';
import { type Atr, AtrError, parseAtr } from './atr.ts';
import { type CcidLink, requireResponseData } from './ccid-link.ts';
import { type CcidResponse, ccidCommandTypes, ccidErrors } from './ccid-message.ts';
import { transmitT0 } from './t0.ts';
import { T1Link } from './t1.ts';

/** The time limit for powering a card, in ms. The reader may try three voltages in this time. */
const powerTimeoutMs = 3_000;
const parameterTimeoutMs = 1_000;
/** The time limit for powering a card off, in ms. */
const powerOffTimeoutMs = 300;
/** The time limit for one PPS request or one T=1 request about block sizes (IFS), in ms. */
const negotiationTimeoutMs = 1_500;

const transmissionErrors = new Set<number>([ccidErrors.iccMute, ccidErrors.xfrParity, ccidErrors.xfrOverrun]);

/** Values of bPowerSelect: 5 V, then 3 V. EMV cards are of class A or AB, so 5 V is tried first. */
const voltages = [0x01, 0x02];

/** The speeds (values of TA1) that serial readers support at a card clock of 4 MHz, up to 250 kbit/s. */
const knownSpeeds = new Set([
  0x11, 0x12, 0x13, 0x14, 0x18, 0x38, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98,
]);

/**
 * Powers the card in the reader and makes the card ready for commands. The answer to reset is read; then the speed
 * (PPS, SetParameters) and the block size of T=1 are set. A card that refuses a higher speed is powered again and stays
 * at the default speed.
 *
 * @throws CardError REMOVED, TIMEOUT or BAD_READ; TransportClosedError; the signal's reason
 */
export async function powerOnCard(link: CcidLink, signal: AbortSignal): Promise<ApduChannel> {
  const card = await powerOn(link, signal);
  if (link.framing.carries === 'APDU') return channelOfCommands(link, card.bytes);
  const negotiable = !card.atr.specific && card.atr.speed !== 0x11 && knownSpeeds.has(card.atr.speed);
  if (negotiable && !(await negotiate(link, card.atr, signal))) {
    await powerOffCard(link);
    const again = await powerOn(link, signal);
    return channelOf(link, { ...again, atr: { ...again.atr, speed: 0x11 } }, signal);
  }
  const speed = negotiable || card.atr.specific ? card.atr.speed : 0x11;
  return channelOf(link, { ...card, atr: { ...card.atr, speed } }, signal);
}

/** Switches the card's power off. The reader's answer is ignored. */
export async function powerOffCard(link: CcidLink): Promise<void> {
  await link.command(ccidCommandTypes.iccPowerOff, { timeoutMs: powerOffTimeoutMs }).catch(() => {});
}

interface PoweredCard {
  readonly bytes: Uint8Array;
  readonly atr: Atr;
}

async function powerOn(link: CcidLink, signal: AbortSignal): Promise<PoweredCard> {
  let failure: unknown;
  for (const voltage of voltages) {
    const response = await link.command(ccidCommandTypes.iccPowerOn, {
      parameters: [voltage, 0, 0],
      timeoutMs: powerTimeoutMs,
      signal,
    });
    try {
      const bytes = requireResponseData(response);
      return { bytes, atr: parseAtr(bytes) };
    } catch (error) {
      if (error instanceof CardError && error.code === 'REMOVED') throw error;
      failure = error;
    }
  }
  throw failure instanceof AtrError ? new CardError('BAD_READ', failure.message) : failure;
}

/** Negotiates the speed by PPS (ISO/IEC 7816-3 §9). To agree, the card sends the same bytes back. */
async function negotiate(link: CcidLink, atr: Atr, signal: AbortSignal): Promise<boolean> {
  const asked = [0xff, 0x10 | (atr.protocol === 'T=1' ? 1 : 0), atr.speed];
  const request = Uint8Array.of(...asked, xorOf(asked));
  const response = await link.command(ccidCommandTypes.xfrBlock, {
    data: request,
    timeoutMs: negotiationTimeoutMs,
    signal,
  });
  return response.outcome === 'ok' && Buffer.compare(response.data, request) === 0;
}

/**
 * Makes the channel for a reader that takes whole commands. Such a reader chooses protocol, speed and voltage by
 * itself.
 */
function channelOfCommands(link: CcidLink, atr: Uint8Array): ApduChannel {
  return {
    atr,
    contactless: false,
    transmit: (apdu, options) =>
      fetchCompleteResponse(
        async (command) =>
          requireResponseData(await link.command(ccidCommandTypes.xfrBlock, { ...options, data: command })),
        apdu,
      ),
  };
}

async function channelOf(link: CcidLink, card: PoweredCard, signal: AbortSignal): Promise<ApduChannel> {
  const { atr } = card;
  if (atr.errorDetection === 'CRC')
    throw new CardError('BAD_READ', 'the card uses CRC, but EMV cards must use LRC');
  await setParameters(link, atr, signal);
  if (atr.protocol === 'T=0') return channelT0(link, card.bytes);
  return channelT1(link, card, signal);
}

function channelT0(link: CcidLink, atr: Uint8Array): ApduChannel {
  return {
    atr,
    contactless: false,
    transmit: (apdu, options) =>
      transmitT0(apdu, async (tpdu) =>
        requireResponseData(await link.command(ccidCommandTypes.xfrBlock, { ...options, data: tpdu })),
      ),
  };
}

async function channelT1(link: CcidLink, card: PoweredCard, signal: AbortSignal): Promise<ApduChannel> {
  let options = { timeoutMs: negotiationTimeoutMs, signal };
  const t1 = new T1Link(async (block, waitingFactor) => {
    const response = await link.command(ccidCommandTypes.xfrBlock, {
      signal: options.signal,
      timeoutMs: options.timeoutMs * waitingFactor,
      parameters: [waitingFactor === 1 ? 0 : waitingFactor, 0, 0],
      data: block,
    });
    return isLost(response) ? new Uint8Array() : requireResponseData(response);
  }, card.atr.informationFieldSize);
  await t1.announceFieldSize();
  return {
    atr: card.bytes,
    contactless: false,
    transmit(apdu, each) {
      options = each;
      return t1.transmit(apdu);
    },
  };
}

/**
 * Whether an answer means that a block was lost between reader and card. The T=1 protocol then sends the block again,
 * because the loss of a block does not mean that the chip is unreadable (ISO/IEC 7816-3 §11.6.3).
 */
function isLost({ outcome, card, error }: CcidResponse): boolean {
  return outcome === 'failed' && card !== 'absent' && transmissionErrors.has(error);
}

/**
 * Gives the reader the parameters from the answer to reset. A reader that sets its parameters by itself may refuse
 * them.
 */
async function setParameters(link: CcidLink, atr: Atr, signal: AbortSignal): Promise<void> {
  const convention = atr.inverse ? 0x02 : 0x00;
  const { speed, guardTime } = atr;
  const data =
    atr.protocol === 'T=0'
      ? Uint8Array.of(speed, convention, guardTime, atr.waitingInteger, 0x00)
      : Uint8Array.of(
          speed,
          0x10 | convention,
          guardTime,
          atr.blockWaiting,
          0x00,
          atr.informationFieldSize,
          0x00,
        );
  await link.command(ccidCommandTypes.setParameters, {
    parameters: [atr.protocol === 'T=1' ? 1 : 0, 0, 0],
    data,
    timeoutMs: parameterTimeoutMs,
    signal,
  });
}
