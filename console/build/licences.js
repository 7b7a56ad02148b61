import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

function textOf(folder) {
  const file = readdirSync(folder).sort().find(name => /^licen[cs]e/i.test(name));
  return file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package contains no licence text.';
}

/** Writes `LICENCES.txt`: the licence of every package of which code is in the output. */
export function licences() {
  return {
    name: 'licences',
    apply: 'build',
    generateBundle(_, bundle) {
      const folders = new Map();
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.moduleIds ?? []) {
          const match = PACKAGE.exec(id);
          if (match && existsSync(join(match[1], 'package.json'))) folders.set(match[2], match[1]);
        }
      }
      const sections = [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, folder]) => {
        const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        return `${name} ${version} (${license})\n\n${textOf(folder)}\n`;
      });
      const source = ['The web console contains code of these packages.\n', ...sections].join(`\n${'-'.repeat(78)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source });
    },
  };
}
