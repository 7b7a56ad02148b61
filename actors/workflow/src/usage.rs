//! Sums of the tokens that calls of models used.

use storage::records::Usage;

pub(crate) fn add(a: Usage, b: &Usage) -> Usage {
    Usage {
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
        cached_tokens: a.cached_tokens + b.cached_tokens,
        reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    }
}
