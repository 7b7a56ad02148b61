// Puts the items of all feeds together: each story once, the newest first.
function main({feeds, urls, most}) {
  const silent = urls.filter((_, at) => !feeds[at]);
  const seen = new Set();
  const items = [];
  for (const one of feeds.flatMap((feed) => (feed ? feed.items : []))) {
    const key = one.link || one.title.toLowerCase();
    if (!seen.has(key)) {
      seen.add(key);
      items.push(one);
    }
  }
  items.sort((a, b) => (b.at || '').localeCompare(a.at || ''));
  const kept = items.slice(0, most);
  const text = kept.map((one, at) =>
    `${at + 1}. ${one.title} (${one.source}${one.at ? ', ' + one.at.slice(0, 16).replace('T', ' ') : ''})\n   ${one.text}\n   ${one.link}`);
  return {items: kept, silent, text: text.join('\n\n')};
}
