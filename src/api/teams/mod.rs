//! Teams.

use crate::http::Area;

/// The operations of this area.
pub fn operations(_area: &mut Area) {}
