// Small files of media, made here so that the repository needs no binary files.

import { crc32, deflateSync } from 'node:zlib';

/** A part of a PNG file. */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}

function crc(body) {
  if (crc32) return crc32(body);
  let sum = ~0;
  for (const byte of body) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** A picture whose pixels a function colours: (x, y) to [red, green, blue]. */
export function picture(width, height, colour) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, y) => [0, ...Array.from({ length: width }, (_, x) => colour(x, y)).flat()]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(rows.flat()))), chunk('IEND', Buffer.alloc(0))]);
}

export const PICTURE = picture(8, 8, (x, y) => [x * 30, y * 30, 120]);

/** Half a second of a tone, as WAV. */
function tone() {
  const [rate, count] = [8000, 4000];
  const file = Buffer.alloc(44 + count);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + count, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.set([1, 0, 1, 0], 20);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate, 28);
  file.set([1, 0, 8, 0], 32);
  file.write('data', 36);
  file.writeUInt32LE(count, 40);
  for (let at = 0; at < count; at++) file[44 + at] = 128 + Math.round(60 * Math.sin((at / rate) * 220 * Math.PI * 2));
  return file;
}

export const SOUND = tone();
