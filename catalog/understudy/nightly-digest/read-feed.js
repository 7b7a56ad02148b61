// Reads the new items of a feed: RSS, Atom or JSON Feed. It is no parser of XML, and need not be one: a feed is a flat
// list of items with a few texts in each.
function main({body, from, now, hours}) {
  const host = from.replace(/^https?:\/\//, '').split('/')[0];
  const since = Date.parse(now) - hours * 3600000;
  const plain = (text) => String(text || '')
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')
    .replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&#0?39;|&apos;/g, "'")
    .replace(/&nbsp;/g, ' ').replace(/&amp;/g, '&')
    .replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim();
  const item = (title, link, text, date) => {
    const at = Date.parse(date);
    return {title: plain(title).slice(0, 200), link: String(link || '').trim(), text: plain(text).slice(0, 600),
      at: Number.isNaN(at) ? null : new Date(at).toISOString(), source: host};
  };
  let items = [];
  if (body && typeof body === 'object') {
    if (!Array.isArray(body.items)) throw new Error('it is JSON, and no JSON Feed');
    items = body.items.map((one) => item(one.title, one.url || one.id, one.summary || one.content_text || one.content_html,
      one.date_published || one.date_modified));
  } else {
    const text = String(body || '');
    if (!/<(rss|feed|rdf:RDF)[\s>]/i.test(text)) throw new Error('it is no feed');
    const tag = (inside, ...names) => {
      for (const name of names) {
        const found = new RegExp('<' + name + '(?:\\s[^>]*)?>([\\s\\S]*?)</' + name + '>', 'i').exec(inside);
        if (found) return found[1];
      }
      return '';
    };
    const link = (inside) => {
      const atom = /<link\b[^>]*\bhref="([^"]*)"[^>]*>/i.exec(inside);
      return plain(tag(inside, 'link')) || (atom ? plain(atom[1]) : '');
    };
    for (const [, inside] of text.matchAll(/<(?:item|entry)(?:\s[^>]*)?>([\s\S]*?)<\/(?:item|entry)>/gi)) {
      items.push(item(tag(inside, 'title'), link(inside), tag(inside, 'description', 'summary', 'content:encoded', 'content'),
        plain(tag(inside, 'pubDate', 'published', 'updated', 'dc:date'))));
    }
  }
  // Without a date nobody knows whether an item is new: it counts as such.
  const fresh = items.filter((one) => one.title && (one.at === null || Date.parse(one.at) >= since));
  return {found: {source: host, items: fresh.slice(0, 50)}};
}
