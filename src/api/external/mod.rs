//! Logins at external services.

use crate::http::Area;

/// The operations of the area.
pub fn operations(_area: &mut Area) {}
