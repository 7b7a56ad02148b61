//! The index of vectors: all vectors of a knowledge base, in memory, each number in one byte, searched
//! exactly.

mod cache;
mod matrix;
mod quantized;

pub use cache::{VectorCache, Vectors};
pub use matrix::Matrix;
pub use quantized::Quantized;
