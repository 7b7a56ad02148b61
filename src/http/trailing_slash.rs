//! Slashes at the end of paths: people type them or not, and libraries add them or not. Each path answers in both
//! spellings; the document names the one that is meant.

use actix_web::http::Method;

use super::path_order::{Routes, Sorted};

/// The other spelling of a path; none where the slash may be a part of the parameter at the end. A deletion gets no
/// slash added: an address with an id that is empty by mistake would delete what holds it.
pub(super) fn other(path: &str, method: &Method) -> Option<String> {
    if path.rsplit('/').next().is_some_and(spans) {
        return None;
    }
    match path.strip_suffix('/') {
        Some(bare) => Some(bare.to_owned()),
        None => (*method != Method::DELETE).then(|| format!("{path}/")),
    }
}

/// The place of such a spelling among all paths: behind them, unless a parameter before it may span the rest of the path,
/// which would then be taken for the whole of it.
pub(super) fn sorted(other: &str) -> Sorted {
    match other.split('/').any(spans) {
        true => Sorted::new(other),
        false => Sorted::spare(other),
    }
}

/// Whether a segment is a parameter with a pattern, which may hold slashes.
fn spans(segment: &str) -> bool {
    segment.starts_with('{') && segment.contains(':')
}

/// The spare spellings without those that are paths of their own: there, what these do not answer is added to them.
pub(super) fn settled(routes: Routes) -> Routes {
    let (spare, mut settled): (Routes, Routes) = routes.into_iter().partition(|(sorted, _)| sorted.spare);
    let mut rest = Routes::new();
    for (sorted, routes) in spare {
        let Some(own) = settled.get_mut(&Sorted::new(&sorted.path)) else {
            rest.insert(sorted, routes);
            continue;
        };
        for route in routes {
            if own.iter().all(|(method, ..)| *method != route.0) {
                own.push(route);
            }
        }
    }
    settled.extend(rest);
    settled
}
