//! What administrators see of a tenant, and what they do to many things at once.

use crate::http::Area;

/// The operations of the area.
pub fn operations(_area: &mut Area) {}
