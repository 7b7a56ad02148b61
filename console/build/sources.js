import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

const CONFIGURATION = ['package.json', 'package-lock.json', 'svelte.config.js', 'tsconfig.json', 'vite.config.js'];

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

/**
 * SHA-256 over everything that determines the output: the files below `src` and `build`, and the configuration. The
 * paths are relative to the console's folder, have `/` as separator, and are sorted by their UTF-8 bytes. For each
 * file follow: path, NUL, length in decimal, NUL, content.
 */
export function digestOfSources(root) {
  const files = [...filesBelow(join(root, 'src')), ...filesBelow(join(root, 'build')), ...CONFIGURATION.map(name => join(root, name))]
    .map(path => relative(root, path).split(sep).join('/'))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const hash = createHash('sha256');
  for (const path of files) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Writes `SOURCES`, from which a test recognises an output that was not built from the present sources. */
export function sources() {
  let config;
  return {
    name: 'sources',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    closeBundle() {
      const out = resolve(config.root, config.build.outDir);
      writeFileSync(join(out, 'SOURCES'), `${digestOfSources(resolve(config.root, '..'))}\n`);
    },
  };
}
