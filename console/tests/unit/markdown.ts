// Random Markdown as models write it.

import type { Random } from './seeded';

const WORDS = 'the tide at noon is high and low water follows six hours later in every harbour of the coast'.split(' ');
const LANGUAGES = ['', 'js', 'python', 'rust title="a.rs"'];

function words(random: Random, most = 12): string {
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(WORDS)).join(' ');
}

function inline(random: Random): string {
  const make = random.pick([
    () => words(random),
    () => `**${words(random, 3)}**`,
    () => `*${words(random, 2)}*`,
    () => `\`${random.pick(WORDS)}()\``,
    () => `[${words(random, 3)}](https://example.org/${random.pick(WORDS)})`,
    () => `$x_${random.below(9)}^2$`,
    () => `\\(a + b\\)`,
    () => `~~${words(random, 2)}~~`,
    () => `[${1 + random.below(5)}]`,
    () => `[^${random.pick(WORDS)}]`,
    () => `$${random.below(90)} or 2 * 3`,
    () => `![${random.pick(WORDS)}](https://example.org/a.png)`,
    () => `<b>${random.pick(WORDS)}</b>`,
    () => 'äöü 潮汐 🌊',
  ]);
  return make();
}

export function sentence(random: Random): string {
  return `${Array.from({ length: 1 + random.below(5) }, () => inline(random)).join(' ')}.`;
}

function list(random: Random, indent: string, depth: number): string {
  const ordered = random.below(2) === 0;
  const loose = random.below(4) === 0 ? '\n' : '';
  const items = Array.from({ length: 1 + random.below(4) }, (_, at) => {
    const marker = ordered ? `${at + 1}. ` : '- ';
    const task = !ordered && random.below(5) === 0 ? '[x] ' : '';
    const inner = indent + ' '.repeat(marker.length);
    let item = `${indent}${marker}${task}${sentence(random)}\n`;
    if (depth < 2 && random.below(3) === 0) item += list(random, inner, depth + 1);
    else if (random.below(6) === 0) item += `\n${inner}\`\`\`js\n${inner}let a = ${at};\n\n${inner}a += 1;\n${inner}\`\`\`\n`;
    return item;
  });
  return items.join(loose);
}

function table(random: Random): string {
  const row = () => `| ${words(random, 3)} | ${inline(random).replaceAll('|', '')} |\n`;
  return `${row()}|---|:-:|\n${Array.from({ length: random.below(6) }, row).join('')}`;
}

export function block(random: Random): string {
  const make = random.pick([
    () => `${sentence(random)} ${sentence(random)}\n`,
    () => `${sentence(random)}\n${sentence(random)}\n`,
    () => `${'#'.repeat(1 + random.below(6))} ${words(random, 4)}\n`,
    () => list(random, '', 0),
    () => list(random, '', 0),
    () => `\`\`\`${random.pick(LANGUAGES)}\nif (a) {\n\n  # ${words(random)}\n    - ${words(random)}\n}\n\`\`\`\n`,
    () => `~~~\n\`\`\`\n${words(random)}\n~~~\n`,
    () => table(random),
    () => `> ${sentence(random)}\n>\n> > ${sentence(random)}\n> - ${words(random)}\n`,
    () => `$$\n\\frac{${random.below(9)}}{x}\n$$\n`,
    () => `\\[ \\sum_i i \\]\n`,
    () => `---\n`,
    () => `[^${random.pick(WORDS)}]: ${sentence(random)}\n`,
    () => `<div>\n${words(random)}\n</div>\n`,
    () => `    indented ${words(random)}\n`,
  ]);
  return make();
}

export function document(random: Random, blocks: number): string {
  return Array.from({ length: blocks }, () => block(random)).join('\n');
}
