//! Tests of the Anthropic and Gemini protocols, fallbacks, circuit breakers and keys, over real sockets.

mod anthropic;
mod anthropic_faults;
mod circuit;
#[allow(dead_code, reason = "the fake server of the OpenAI tests, of which only a part is needed here")]
#[path = "../openai/fake.rs"]
mod fake;
mod fallbacks;
mod gemini;
mod gemini_more;
mod keys;
mod laws;
mod wire;
