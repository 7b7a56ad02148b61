//! Trailing slashes of paths: people and libraries may or may not add them. Each path is served in both spellings; the
//! document lists the canonical one.

use actix_web::http::Method;

use super::path_order::{Routes, Sorted};

/// The other spelling of a path; `None` if the slash may be part of the last parameter. DELETE paths get no slash
/// added: a URL with an accidentally empty id would delete the containing collection.
pub(super) fn other(path: &str, method: &Method) -> Option<String> {
    if path.rsplit('/').next().is_some_and(spans) {
        return None;
    }
    match path.strip_suffix('/') {
        Some(bare) => Some(bare.to_owned()),
        None => (*method != Method::DELETE).then(|| format!("{path}/")),
    }
}

/// The position of such a spelling among all paths: after all of them, unless a preceding parameter may span the rest
/// of the path and would match all of it.
pub(super) fn sorted(other: &str) -> Sorted {
    match other.split('/').any(spans) {
        true => Sorted::new(other),
        false => Sorted::spare(other),
    }
}

/// Whether a segment is a parameter with a pattern, which may contain slashes.
fn spans(segment: &str) -> bool {
    segment.starts_with('{') && segment.contains(':')
}

/// Removes the additional spellings that are paths of their own, and adds their missing methods to these paths.
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
