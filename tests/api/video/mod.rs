//! `/api/video`.

mod cancel;
mod clips;
mod download;
mod provider;
mod rights;
pub mod scene;
