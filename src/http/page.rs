//! Short HTML pages for browsers that another site redirected here: some text and at most one link.

use std::fmt::Write;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};

use domain::Refusal;

use super::inline_policy;

const STYLE: &str = ":root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; display: grid; \
                     min-height: 100vh; margin: 0; place-items: center } main { width: min(30rem, 90%) } \
                     h1 { font-size: 1.5rem } p { overflow-wrap: anywhere }";

/// An HTML page with a few paragraphs of text.
#[derive(Debug, Default)]
pub struct Page {
    title: String,
    paragraphs: Vec<String>,
    link: Option<(String, String)>,
}

impl Page {
    /// Creates a page with this title. All texts are escaped.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The page for a request that failed.
    pub fn of_error(error: &Refusal) -> Self {
        let (title, detail) = (error.code().title(), error.shown_detail());
        let page = Self::new(title);
        if detail == title { page } else { page.paragraph(detail) }
    }

    /// Adds a paragraph of plain text.
    pub fn paragraph(mut self, text: impl Into<String>) -> Self {
        self.paragraphs.push(text.into());
        self
    }

    /// Adds a link to a path of this server below the text.
    pub fn link(mut self, words: impl Into<String>, path: impl Into<String>) -> Self {
        self.link = Some((words.into(), path.into()));
        self
    }

    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        for text in &self.paragraphs {
            let _ = writeln!(html, "<p>{}</p>", escaped(text));
        }
        if let Some((words, path)) = &self.link {
            let _ = writeln!(html, "<p><a href=\"{}\">{}</a></p>", escaped(path), escaped(words));
        }
        html.push_str("</main>\n</body>\n</html>\n");
        html
    }

    /// A response with the page as HTML.
    pub fn respond(&self, status: StatusCode) -> HttpResponse {
        let html = self.html();
        HttpResponse::build(status)
            .content_type("text/html; charset=utf-8")
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((CONTENT_SECURITY_POLICY, inline_policy::of(&html)))
            .body(html)
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
