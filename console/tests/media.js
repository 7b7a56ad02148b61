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

/** A PDF with some lines of text on each page. */
export function pdf(pages) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')}] >>`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'];
  pages.forEach((lines, at) => {
    const text = lines.map(line => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n');
    const content = `BT /F1 12 Tf 16 TL 60 780 Td\n${text}\nET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`);
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  let file = '%PDF-1.4\n';
  const starts = objects.map((object, at) => {
    const start = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = starts.map(start => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
