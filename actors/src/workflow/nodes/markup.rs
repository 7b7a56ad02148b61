//! The text of a page of the web.

/// Elements whose content nobody reads.
const SILENT: [&str; 7] = ["script", "style", "noscript", "template", "svg", "head", "iframe"];
/// Elements that stand on lines of their own.
const BLOCKS: [&str; 34] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "table",
    "title",
    "tr",
    "ul",
];

/// What a reader would see of a page: its text without tags, scripts and comments, a line for each
/// block.
pub(super) fn text_of(page: &str) -> String {
    let mut text = Lines::default();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        text.add(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some((name, after)) = tag(rest) else {
            // A `<` that begins no tag is a character like others.
            text.add("<");
            rest = &rest[1..];
            continue;
        };
        rest = after;
        if SILENT.contains(&name.as_str()) {
            rest = past(rest, &name);
        } else if BLOCKS.contains(&name.trim_start_matches('/')) {
            text.end_line();
        } else if matches!(name.as_str(), "td" | "th" | "/td" | "/th") {
            text.add(" ");
        }
    }
    text.add(rest);
    text.end_line();
    text.all
}

/// The name of the tag at the beginning, in lower case and with the `/` of an end, and what follows it.
fn tag(text: &str) -> Option<(String, &str)> {
    let inner = &text[1..];
    let first = inner.trim_start_matches('/').chars().next()?;
    if !first.is_ascii_alphabetic() && !matches!(first, '!' | '?') {
        return None;
    }
    let mut quote = None;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, '>') => {
                let end = inner.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(at);
                let name = inner[..end].trim_end_matches('/').to_ascii_lowercase();
                return Some((name, &inner[at + 1..]));
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// What follows the end of an element.
fn past<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at..];
        if let Some((found, after)) = tag(rest)
            && found[1..] == *name
        {
            return after;
        }
        rest = &rest[2..];
    }
    ""
}

/// Lines without more white space than they need.
#[derive(Default)]
struct Lines {
    all: String,
    line: String,
}

impl Lines {
    fn add(&mut self, text: &str) {
        self.line.push_str(text);
    }

    fn end_line(&mut self) {
        let line = unescaped(&std::mem::take(&mut self.line));
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        if !self.all.is_empty() {
            self.all.push('\n');
        }
        self.all.push_str(&words.join(" "));
    }
}

/// A text with the characters that references to them stand for.
fn unescaped(text: &str) -> String {
    const LONGEST: usize = 10;
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        clean.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(LONGEST).find(|(_, c)| *c == ';').map(|(at, _)| at);
        match end.and_then(|end| Some((character(&rest[1..end])?, end))) {
            Some((character, end)) => {
                clean.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                clean.push('&');
                rest = &rest[1..];
            }
        }
    }
    clean.push_str(rest);
    clean
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "copy" => '©',
        "euro" => '€',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_people_see_it() {
        let page = "<!doctype html><html><head><title>T</title><style>p{a>b}</style></head><body><!-- <p>no</p> -->\
                    <h1>A &amp; B</h1><p class='a>b'>one\n  <b>two</b></p><script>if (a<b) '</p>'</script>\
                    <ul><li>x<li>y</ul><table><tr><td>1</td><td>2</td></tr></table>3 < 4 &unknown; &#8364;&#x41;<br/>end";
        assert_eq!(text_of(page), "A & B\none two\nx\ny\n1 2\n3 < 4 &unknown; €A\nend");
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        assert_eq!(text_of("a <b"), "a <b");
        assert_eq!(text_of("a <!-- b"), "a");
        assert_eq!(text_of("a<script>b"), "a");
        assert_eq!(text_of("<>&;&#xffffffff;"), "<>&;&#xffffffff;");
        assert_eq!(text_of("ü<é>ß</"), "ü<é>ß</");
    }
}
