//! The vector index: all vectors of a knowledge base in memory, with one byte per component, searched exactly.

mod cache;
mod matrix;
mod quantized;

pub use cache::{VectorCache, Vectors};
pub use matrix::Matrix;
pub use quantized::Quantized;
