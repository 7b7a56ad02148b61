import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Copies the list of the console's paths to `screens.json`, from which the server knows at which it serves the console. */
export function screens() {
  let config;
  return {
    name: 'screens',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'screens.json', source: readFileSync(resolve(config.root, 'shell/screens.json'), 'utf8') });
    },
  };
}
