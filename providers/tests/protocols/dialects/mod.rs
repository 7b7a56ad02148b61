//! Tests of the Anthropic and Gemini protocols, fallbacks, circuit breakers and keys, over real sockets.

mod anthropic;
mod anthropic_faults;
mod circuit;
mod fallbacks;
mod gemini;
mod gemini_more;
mod keys;
mod laws;
mod wire;
