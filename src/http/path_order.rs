//! The order in which the paths of an area are matched.

use std::collections::BTreeMap;

use actix_web::Route;
use actix_web::http::Method;

/// The routes of an area by path: each method with the id of its operation.
pub(super) type Routes = BTreeMap<Sorted, Vec<(Method, String, Route)>>;

/// Paths in the order in which they are matched: paths without parameters first, because they are compared literally,
/// then fixed segments before parameters, and parameters that span several segments last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Sorted {
    /// Whether this is a spelling that the document does not list. Matched after all paths that it lists.
    pub spare: bool,
    has_parameters: bool,
    order: Vec<(u8, String)>,
    pub path: String,
}

impl Sorted {
    pub(super) fn spare(path: &str) -> Self {
        Self { spare: true, ..Self::new(path) }
    }

    pub fn new(path: &str) -> Self {
        let weigh = |segment: &str| match segment.starts_with('{') {
            true if segment.contains(':') => (2, String::new()),
            true => (1, String::new()),
            false => (0, segment.to_owned()),
        };
        let mut order: Vec<_> = path.split('/').map(weigh).collect();
        // A parameter that spans the rest of the path would also match all longer paths.
        if order.last().is_some_and(|(weight, _)| *weight == 2) {
            order.push((3, String::new()));
        }
        Self { spare: false, has_parameters: path.contains('{'), order, path: path.to_owned() }
    }
}
