// Pages of the web as text, with what is around them.

const LONGEST = 12000;

const functions = {
  read_page: {
    description: "The text of a page of the web, with its title and its links. Long pages are cut: name what it is about, and the parts that have to do with that come first.",
    parameters: {
      type: "object",
      properties: {
        url: { type: "string", description: "The page's address, with https://" },
        about: { type: "string", description: "What you look for on it, in a few words" },
      },
      required: ["url"],
      additionalProperties: false,
    },
    async run({ url, about }, host) {
      const page = await load(url, host);
      const { text, cut } = pick(page.text, about);
      return { url: page.url, title: page.title, published: page.published, text, cut, links: page.links.slice(0, 40) };
    },
  },

  find_links: {
    description: "The links of a page whose words, or addresses, have these words in them.",
    parameters: {
      type: "object",
      properties: {
        url: { type: "string", description: "The page's address, with https://" },
        words: { type: "string", description: "Words to look for; all links where there are none" },
      },
      required: ["url"],
      additionalProperties: false,
    },
    async run({ url, words }, host) {
      const page = await load(url, host);
      const wanted = terms(words);
      const has = (link) => wanted.every((word) => `${link.text} ${link.url}`.toLowerCase().includes(word));
      return { url: page.url, title: page.title, links: page.links.filter(has).slice(0, 60) };
    },
  },

  look_up: {
    description: "Searches Wikipedia: the best articles with their first sentences and addresses.",
    parameters: {
      type: "object",
      properties: {
        topic: { type: "string", description: "What to look up" },
        language: { type: "string", pattern: "^[a-z]{2,3}$", description: "The Wikipedia's language, en where none is named" },
      },
      required: ["topic"],
      additionalProperties: false,
    },
    async run({ topic, language }, host) {
      const site = `https://${language || "en"}.wikipedia.org`;
      const answer = await host.fetch({
        method: "GET",
        url: `${site}/w/api.php`,
        query: {
          action: "query", format: "json", formatversion: 2, generator: "search", gsrsearch: topic, gsrlimit: 5,
          prop: "extracts|info", exintro: 1, explaintext: 1, exchars: 700, inprop: "url",
        },
        headers: { accept: "application/json" },
      });
      if (answer.status !== 200) throw new Error(`Wikipedia answers ${answer.status}`);
      const told = typeof answer.body === "string" ? JSON.parse(answer.body) : answer.body;
      const pages = (told.query && told.query.pages) || [];
      return {
        articles: pages
          .sort((a, b) => a.index - b.index)
          .map((page) => ({ title: page.title, url: page.fullurl, text: page.extract })),
      };
    },
  },
};

async function load(url, host) {
  if (!/^https?:\/\//i.test(url)) throw new Error("the address has to begin with https://");
  const answer = await host.fetch({ method: "GET", url, headers: { accept: "text/html, text/plain, application/json" } });
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
  const kind = String(answer.headers["content-type"] || "");
  if (typeof answer.body !== "string") {
    return { url, title: "", published: null, text: JSON.stringify(answer.body, null, 1), links: [] };
  }
  if (!/html/i.test(kind) && !/<html[\s>]/i.test(answer.body.slice(0, 2000))) {
    return { url, title: "", published: null, text: answer.body, links: [] };
  }
  return read(url, answer.body);
}

function read(url, html) {
  const title = words((/<title[^>]*>([\s\S]*?)<\/title>/i.exec(html) || [])[1] || "");
  const published = (/<meta[^>]+(?:article:published_time|datePublished|name="date")[^>]*content="([^"]+)"/i.exec(html) || [])[1] || null;
  const base = (/<base[^>]+href="([^"]+)"/i.exec(html) || [])[1] || url;
  const body = html
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/<(script|style|noscript|template|svg|head)\b[\s\S]*?<\/\1>/gi, " ");
  const links = [];
  const seen = new Set();
  for (const [, attributes, inside] of body.matchAll(/<a\b([^>]*)>([\s\S]*?)<\/a>/gi)) {
    const href = (/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) || []).slice(1).find(Boolean);
    const address = href && join(base, entities(href));
    const text = words(inside).slice(0, 120);
    if (address && text && !seen.has(address)) {
      seen.add(address);
      links.push({ text, url: address });
    }
  }
  const main = (/<(main|article)\b[^>]*>([\s\S]*)<\/\1>/i.exec(body) || [])[2] || body;
  const text = main
    .replace(/<(nav|footer|aside|form)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<h([1-6])\b[^>]*>/gi, (_, level) => `\n\n${"#".repeat(Number(level))} `)
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(/<\/(p|div|section|tr|h[1-6]|ul|ol|table|blockquote|pre)>|<br\s*\/?>/gi, "\n")
    .replace(/<\/t[dh]>/gi, " | ")
    .replace(/<[^>]*>/g, "");
  const tidy = entities(text).replace(/[ \t\u00a0]+/g, " ").replace(/ *\n */g, "\n").replace(/\n{3,}/g, "\n\n").trim();
  return { url, title, published, text: tidy, links };
}

function words(html) {
  return entities(html.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ").trim();
}

const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ndash: "–", mdash: "—", hellip: "…", euro: "€" };

function entities(text) {
  return text.replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, name) => {
    if (name[0] !== "#") return NAMED[name.toLowerCase()] || whole;
    const code = name[1].toLowerCase() === "x" ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : whole;
  });
}

// The address that a link leads to; nothing for those that lead to no page.
function join(base, href) {
  if (/^https?:\/\//i.test(href)) return href.split("#")[0];
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("#")) return null;
  const found = /^(https?:)\/\/([^/?#]+)([^?#]*)/i.exec(base);
  if (!found) return null;
  const [, scheme, host, path] = found;
  if (href.startsWith("//")) return scheme + href.split("#")[0];
  const from = href.startsWith("/") ? [] : path.split("/").slice(1, -1);
  const [way, ...query] = href.split("#")[0].split("?");
  for (const part of way.split("/")) {
    if (part === "..") from.pop();
    else if (part !== "." && (part !== "" || from.length > 0)) from.push(part);
  }
  return `${scheme}//${host}/${from.join("/")}${query.length ? `?${query.join("?")}` : ""}`;
}

function terms(text) {
  return String(text || "").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
}

// As much of a text as fits: what has to do with the words first, in the order of the text.
function pick(text, about) {
  if (text.length <= LONGEST) return { text, cut: false };
  const wanted = terms(about);
  if (wanted.length === 0) return { text: text.slice(0, LONGEST), cut: true };
  const parts = text.split(/\n{2,}/).map((part, at) => {
    const lower = part.toLowerCase();
    return { part: part.slice(0, LONGEST / 4), at, score: wanted.filter((word) => lower.includes(word)).length };
  });
  const kept = [];
  let room = LONGEST;
  for (const one of [...parts].sort((a, b) => b.score - a.score || a.at - b.at)) {
    if (one.part.length + 2 > room) continue;
    room -= one.part.length + 2;
    kept.push(one);
  }
  return { text: kept.sort((a, b) => a.at - b.at).map((one) => one.part).join("\n\n"), cut: true };
}
