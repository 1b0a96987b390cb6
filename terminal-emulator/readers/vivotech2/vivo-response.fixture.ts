import { crc16 } from './crc16.ts';
import { encodeFrameBody, type VivoResponse } from './frame.ts';

/** Makes the frame of a reader's answer. */
export function encodeVivoResponse({ command, status, data }: VivoResponse): Uint8Array {
  const body = encodeFrameBody(command, status, data);
  const crc = crc16(body);
  return Uint8Array.of(...body, crc >> 8, crc & 0xff);
}
