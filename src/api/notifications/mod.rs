//! What users are told, and by which ways.

use crate::http::Area;

/// The operations of the area.
pub fn operations(_area: &mut Area) {}
