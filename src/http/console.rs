//! Serves the web console, whose files are part of the binary.
//!
//! The files have the same names in every version. Their addresses contain a digest of all of them, so browsers may keep
//! them for good, and a page never loads files of another version.

#[cfg(debug_assertions)]
mod folder;

use std::borrow::Cow;
use std::io::Read;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ContentEncoding, ETAG,
    Encoding, EntityTag, Header, HeaderValue, IfNoneMatch, VARY,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use domain::{Code, Refusal};
use flate2::read::GzDecoder;

use super::error::{Api, RefusalResponse};
use super::state::HttpState;
use crate::config::is_screen;

/// Allows what the server itself serves, and no code or style in the page. Svelte creates its templates through the
/// policy `svelte-trusted-html`; `console` is for the addresses of workers.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src \
                      'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for \
                      'script'; trusted-types svelte-trusted-html console";

/// The files of the console.
struct Console {
    /// Identifies their content: part of their addresses.
    digest: Cow<'static, str>,
    page: Cow<'static, str>,
    assets: Cow<'static, [Asset]>,
}

#[derive(Clone)]
struct Asset {
    path: Cow<'static, str>,
    media_type: &'static str,
    gzip: Cow<'static, [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/console.rs"));

#[cfg(not(debug_assertions))]
fn console() -> &'static Console {
    &EMBEDDED
}

/// The files in the folder of the variable `UNDERSTUDY_CONSOLE_DIST`, or those in the binary if it is not set. To
/// try a change of the console, build it, and start the same server again. Only in debug builds.
#[cfg(debug_assertions)]
fn console() -> &'static Console {
    static SERVED: std::sync::LazyLock<Option<Console>> = std::sync::LazyLock::new(|| {
        let root = std::env::var_os("UNDERSTUDY_CONSOLE_DIST")?;
        let files = folder::read_console(std::path::Path::new(&root))
            .inspect_err(|why| tracing::error!(%why, ?root, "UNDERSTUDY_CONSOLE_DIST cannot be read"))
            .ok()?;
        let assets = files.assets.into_iter().map(|file| Asset {
            path: file.path.into(),
            media_type: file.media_type,
            gzip: file.gzip.into(),
        });
        Some(Console { digest: files.digest.into(), page: files.page.into(), assets: assets.collect() })
    });
    SERVED.as_ref().unwrap_or(&EMBEDDED)
}

/// Responds to `GET` of any path of the console with its page, which shows the screen of the path. The status is 404 if
/// the console has no screen there.
pub(crate) async fn page(request: HttpRequest, state: Data<HttpState>) -> HttpResponse {
    let console = console();
    let prefix = state.config.server.base_path();
    let tag = EntityTag::new_strong(format!("{}{prefix}", console.digest));
    let status = match is_screen(request.path()) {
        false => StatusCode::NOT_FOUND,
        true if has_current(&request, &tag) => StatusCode::NOT_MODIFIED,
        true => StatusCode::OK,
    };
    let mut response = HttpResponse::build(status);
    response
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((ETAG, tag));
    match status {
        StatusCode::NOT_MODIFIED => response.finish(),
        // The page names its files relative to itself, but is served at many paths.
        _ => response
            .content_type("text/html; charset=utf-8")
            .body(console.page.replace("=\"./", &format!("=\"{prefix}/console/{}/", console.digest))),
    }
}

/// Whether the browser has the page with this tag. The tag is a weak one if a proxy has compressed the page.
fn has_current(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        _ => false,
    }
}

/// Responds to `GET /console/{digest}/{path}` with a file of the console.
///
/// # Errors
/// [`Code::RouteNotFound`] if this version has no such file, for example because the page of the caller is from another
/// version of the server.
pub(crate) async fn asset(request: HttpRequest, path: Path<(String, String)>) -> HttpResponse {
    let (digest, path) = path.into_inner();
    let console = console();
    let asset = console.assets.iter().find(|asset| digest == console.digest && asset.path == path);
    match asset.map(|asset| send(asset, &request)) {
        Some(Ok(response)) => response,
        Some(Err(error)) => error.error_response(),
        None => Refusal::from(Code::RouteNotFound)
            .detail("this version of the server has no such file; reload the page")
            .error_response(),
    }
}

fn send(asset: &'static Asset, request: &HttpRequest) -> Api<HttpResponse> {
    let offered = [Encoding::gzip(), Encoding::identity()];
    let chosen = AcceptEncoding::parse(request).ok().and_then(|accepted| accepted.negotiate(offered.iter()));
    let mut response = HttpResponse::Ok();
    response
        .content_type(asset.media_type)
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((VARY, HeaderValue::from_static("accept-encoding")));
    if chosen == Some(Encoding::gzip()) {
        return Ok(response
            .insert_header((CONTENT_ENCODING, ContentEncoding::Gzip))
            .body(asset.gzip.as_ref()));
    }
    let mut content = Vec::new();
    GzDecoder::new(asset.gzip.as_ref())
        .read_to_end(&mut content)
        .map_err(|why| Refusal::new(Code::Internal).because(why))?;
    Ok(response.body(content))
}
