//! Local servers that are found by probing.

/// Common local model servers with their default ports.
pub(crate) const LOCAL_SERVERS: [(&str, u16); 4] =
    [("ollama", 11_434), ("lm-studio", 1_234), ("vllm", 8_000), ("llama-cpp", 8_080)];

/// Whether this is the name of a probed server.
pub(crate) fn is_probed_name(name: &str) -> bool {
    LOCAL_SERVERS.iter().any(|(probed, _)| *probed == name)
}
