//! The `Content-Security-Policy` of pages that contain their style and script.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::digest::{SHA256, digest};

/// Returns a policy that allows the content of the page's `<style>` and `<script>` elements by its hash and no other
/// code, requests to this server, and no text that becomes markup.
pub fn of(page: &str) -> String {
    let (style, script) = (hashes(page, "style"), hashes(page, "script"));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; connect-src 'self'; base-uri 'none'; form-action \
         'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

/// The hashes of all elements of this name, or `'none'`.
fn hashes(page: &str, element: &str) -> String {
    let (begin, end) = (format!("<{element}>"), format!("</{element}>"));
    let contents = page.split(&begin).skip(1).filter_map(|rest| rest.split(&end).next());
    let hash = |content: &str| BASE64_STANDARD.encode(digest(&SHA256, content.as_bytes()));
    let hashes: Vec<_> = contents.map(|content| format!("'sha256-{}'", hash(content))).collect();
    if hashes.is_empty() { "'none'".to_owned() } else { hashes.join(" ") }
}
