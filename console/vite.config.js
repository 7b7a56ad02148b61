import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { licences } from './build/licences.js';
import { screens } from './build/screens.js';
import { sources } from './build/sources.js';

// What several areas of the console use is in two chunks, so that the first page needs few requests. That includes what writes a message.
const GROUPS = [
  { name: 'vendor', test: /node_modules\/(svelte|clsx|esm-env)\// },
  { name: 'parts', test: /node_modules\/lucide\/|src\/(parts|api|words\/(en|index)|shell\/(projects|conversations|keys))|src\/(base|look|router|connection|update)\.|src\/live\/|src\/chat\/(AttachmentDraft|Composer|Pickers|UnavailableDialog|choices|drafts|uploads)\./ },
];

// The output is committed, so it is readable text with stable names: no hashes, no mangled identifiers, no source maps.
export default defineConfig({
  root: 'src',
  base: './',
  publicDir: false,
  plugins: [svelte({ configFile: '../svelte.config.js' }), licences(), screens(), sources()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    cssMinify: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { main: 'src/index.html' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
        minifyInternalExports: false,
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
        codeSplitting: { groups: GROUPS },
      },
    },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } } },
});
