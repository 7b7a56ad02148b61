//! Chat: the models, and which of them answers when nobody chose one.

pub mod default_model;
mod models;
mod view;

use crate::http::Area;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    models::operations(area);
    default_model::operations(area);
}
