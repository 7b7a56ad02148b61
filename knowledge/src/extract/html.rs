//! Reads HTML and XHTML as a stream of tags. No tree is built, so nesting costs nothing.

use super::flow::Flow;
use super::pages::{Outcome, Pages};
use super::text::decode_xml;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use std::cell::RefCell;

/// The number of bytes that are passed to the tokenizer at once.
const CHUNK_BYTES: usize = 64 << 10;

pub(super) fn read(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let text = decode_xml(bytes);
    let (title, body) = render(&text, pages)?;
    pages.call(&title);
    pages.push(None, body)
}

/// Returns the title and the text of a page, as Markdown.
pub(super) fn render(html: &str, pages: &Pages) -> Outcome<(String, String)> {
    let (title, body) = pass(html, pages, true)?;
    match body.trim().is_empty() {
        // The whole content of the page is within elements that are usually omitted.
        true => pass(html, pages, false),
        false => Ok((title, body)),
    }
}

fn pass(html: &str, pages: &Pages, strict: bool) -> Outcome<(String, String)> {
    let sink = Sink(RefCell::new(Page::new(pages.room(), strict)));
    let tokenizer = Tokenizer::new(sink, Default::default());
    let input = BufferQueue::default();
    let mut rest = html;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK_BYTES.min(rest.len())));
        rest = after;
        input.push_back(StrTendril::from_slice(chunk));
        // The tokenizer stops at the end of each script so that callers can execute it.
        while !input.is_empty() {
            let _ = tokenizer.feed(&input);
        }
        if tokenizer.sink.0.borrow().flow.is_full() {
            return Err(pages.too_much_text());
        }
    }
    tokenizer.end();
    let page = tokenizer.sink.0.into_inner();
    if page.flow.is_full() {
        return Err(pages.too_much_text());
    }
    Ok((page.title, page.flow.finish()))
}

struct Sink(RefCell<Page>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return page.open(&tag),
            Token::TagToken(tag) => page.close(&tag.name),
            Token::CharacterTokens(text) => page.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

struct Page {
    flow: Flow,
    title: String,
    in_title: bool,
    in_pre: bool,
    /// Whether navigation menus are omitted.
    strict: bool,
    /// The element being omitted, and the number of open elements with this name.
    skipped: Option<(String, u32)>,
    /// The open lists, the innermost last, with the number of their next item.
    lists: Vec<Option<u32>>,
}

/// The maximum depth of nested lists; deeper lists count as having this depth.
const MAX_LIST_DEPTH: usize = 64;

impl Page {
    fn new(room: usize, strict: bool) -> Self {
        let flow = Flow::new(room);
        Self {
            flow,
            title: String::new(),
            in_title: false,
            in_pre: false,
            strict,
            skipped: None,
            lists: Vec::new(),
        }
    }

    fn text(&mut self, text: &str) {
        match (&self.skipped, self.in_title) {
            (Some(_), _) => {}
            (None, true) if self.title.len() < 1000 => self.title.push_str(text),
            (None, true) => {}
            (None, false) => self.flow.text(text),
        }
    }

    fn open(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let raw = match name {
            "script" => Some(RawKind::ScriptData),
            "style" | "iframe" | "noembed" | "noframes" | "xmp" => Some(RawKind::Rawtext),
            "title" | "textarea" => Some(RawKind::Rcdata),
            _ => None,
        };
        // XHTML may close these elements immediately.
        let raw = raw.filter(|_| !tag.self_closing);
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += u32::from(skipped == name && !tag.self_closing);
        } else if !self.is_unwanted(tag) {
            self.begin(tag);
        } else if !tag.self_closing {
            self.skipped = Some((name.to_owned(), 1));
        }
        raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
    }

    fn is_unwanted(&self, tag: &Tag) -> bool {
        let value =
            |name: &str| tag.attrs.iter().find(|attr| &*attr.name.local == name).map(|attr| &*attr.value);
        // An element without an end tag would omit the rest of the page.
        let is_void = matches!(
            &*tag.name,
            "input" | "img" | "br" | "hr" | "meta" | "link" | "source" | "col" | "p" | "li"
        );
        let always = [
            "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select",
            "datalist",
        ];
        let is_menu = &*tag.name == "nav" || value("role").is_some_and(|role| role == "navigation");
        let is_hidden = value("hidden").is_some() || value("aria-hidden") == Some("true");
        always.contains(&&*tag.name) || self.strict && !is_void && (is_menu || is_hidden)
    }

    fn begin(&mut self, tag: &Tag) {
        match &*tag.name {
            "title" => self.in_title = !tag.self_closing && self.title.is_empty(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.flow.heading(tag.name.as_bytes()[1] - b'0'),
            "br" => self.flow.line_break(),
            "ul" | "menu" | "ol" => {
                self.flow.block();
                if self.lists.len() < MAX_LIST_DEPTH {
                    let start = tag.attrs.iter().find(|attr| &*attr.name.local == "start");
                    let start = start.and_then(|start| start.value.parse().ok()).unwrap_or(1);
                    self.lists.push((&*tag.name == "ol").then_some(start));
                }
            }
            "li" => {
                let number = self.lists.last_mut().and_then(Option::as_mut).map(|next| {
                    *next = next.saturating_add(1);
                    next.saturating_sub(1)
                });
                self.flow.item(self.lists.len().saturating_sub(1), number);
            }
            "pre" => {
                self.in_pre = true;
                self.flow.literal_begin();
            }
            "table" => self.flow.table_begin(),
            "tr" => self.flow.row_begin(),
            "td" | "th" => self.flow.cell_begin(),
            name if is_block(name) && !self.in_pre => self.flow.block(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "ul" | "menu" | "ol" => {
                self.flow.end_item();
                self.lists.pop();
            }
            "li" => self.flow.end_item(),
            "pre" => {
                self.in_pre = false;
                self.flow.literal_end();
            }
            "table" => self.flow.table_end(),
            "tr" => self.flow.row_end(),
            "td" | "th" => self.flow.cell_end(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.flow.block(),
            name if is_block(name) && !self.in_pre => self.flow.block(),
            _ => {}
        }
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "head"
            | "header"
            | "hr"
            | "html"
            | "legend"
            | "main"
            | "option"
            | "p"
            | "section"
            | "summary"
            | "tbody"
            | "tfoot"
            | "thead"
    )
}
