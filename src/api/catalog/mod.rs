//! Packages: what there is, what is installed, and what could be under a manifest.

use crate::http::Area;

/// The operations of the area.
pub fn operations(_area: &mut Area) {}
