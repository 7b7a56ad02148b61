import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeRanges, languageOf } from '../../src/text/highlight';

async function coloured(code: string, language: string): Promise<string[]> {
  const ranges = await codeRanges(code, language);
  return ranges.map(({ scope, start, end }) => `${scope} ${code.slice(start, end)}`);
}

test('codeRanges names the tokens of a listing', async () => {
  const ranges = await coloured('fn f() { let a = "x"; } // end', 'rs');
  for (const range of ['keyword fn', 'title f', 'keyword let', 'string "x"', 'comment // end']) assert.ok(ranges.includes(range), `${range} in ${ranges.join('; ')}`);
});

test('codeRanges are in order, without overlap and within the listing', async () => {
  const listings: [string, string][] = [
    ['html', '<p class="a">ä🌊</p><script>let a = "1"; // c</script><style>p { color: red }</style>'],
    ['ts', 'const f = async <T>(a: T): Promise<`x${T}`> => await g(`a ${b + `c ${1}`}`);'],
    ['python', 'def f(x: int) -> str:\n    """Doc."""\n    return f"a {x!r}"'],
    ['sh', 'for a in *.txt; do echo "$a $(cat "$a")"; done'],
    ['js', '}}}} ((( "unclosed `'],
  ];
  for (const [language, code] of listings) {
    let last = 0;
    for (const { start, end } of await codeRanges(code, language)) {
      assert.ok(start >= last && end > start && end <= code.length, `${language}: ${start}-${end}`);
      last = end;
    }
    assert.ok(last > 0, language);
  }
});

test('codeRanges colour a language inside of another one', async () => {
  assert.ok((await coloured('<script>let a = 12;</script>', 'html')).includes('number 12'));
});

test('codeRanges of unknown languages and long listings are empty', async () => {
  for (const language of ['', 'nonsense', 'constructor', '__proto__', 'toString']) assert.deepEqual(await codeRanges('let a', language), []);
  assert.deepEqual(await codeRanges('let a;\n'.repeat(20_000), 'js'), []);
});

test('languageOf takes the first word after the fence', () => {
  assert.deepEqual(['Rust title="a.rs"', '', undefined, 'c++', '{.python}'].map(languageOf), ['rust', '', '', 'c++', '']);
});
