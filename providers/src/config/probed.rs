//! Servers on this machine that are found by looking for them.

/// The servers that people run on the same machine, with the port that each takes by default.
pub(crate) const LOCAL_SERVERS: [(&str, u16); 4] =
    [("ollama", 11_434), ("lm-studio", 1_234), ("vllm", 8_000), ("llama-cpp", 8_080)];

/// Whether probing gives this name to a server that it finds.
pub(crate) fn is_probed_name(name: &str) -> bool {
    LOCAL_SERVERS.iter().any(|(probed, _)| *probed == name)
}
