//! The features of model versions, derived from the name because the API does not report them.

/// The version of a model: 4.6 for `claude-opus-4-6`, 3.7 for `claude-3-7-sonnet-20250219`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32);

impl Version {
    /// Parses the version. Models of other vendors are treated like the first versions, and Anthropic's models
    /// without a version in their name like the newest.
    pub(super) fn parse(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        let Some((_, name)) = model.split_once("claude") else {
            return Self(0, 0);
        };
        // A number of eight digits is a date.
        let number = |part: &str| part.parse().ok().filter(|_| part.len() <= 2);
        let mut parts = name.split(['-', '.', '@', ':']).skip_while(|part| number(part).is_none());
        let Some(major) = parts.next().and_then(number) else {
            return Self(u32::MAX, 0);
        };
        Self(major, parts.next().and_then(number).unwrap_or(0))
    }

    /// Whether the model chooses its thinking budget itself and accepts only an effort level.
    pub(super) fn adapts(self) -> bool {
        self >= Self(4, 6)
    }

    /// Whether the model returns its reasoning only on request.
    pub(super) fn hides_thoughts(self) -> bool {
        self >= Self(4, 7)
    }

    /// Whether the model rejects `temperature`, `top_p` and `top_k`.
    pub(super) fn refuses_sampling(self) -> bool {
        self >= Self(4, 7)
    }

    /// Whether the model accepts `temperature` or `top_p`, but not both.
    pub(super) fn samples_one_way(self) -> bool {
        self >= Self(4, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_parse_reads_the_name() {
        for (name, version) in [
            ("claude-3-7-sonnet-20250219", Version(3, 7)),
            ("claude-opus-4-20250514", Version(4, 0)),
            ("claude-haiku-4-5-20251001", Version(4, 5)),
            ("claude-opus-4-6", Version(4, 6)),
            ("claude-sonnet-5", Version(5, 0)),
            ("anthropic/claude-opus-4.8", Version(4, 8)),
            ("claude-mythos-preview", Version(u32::MAX, 0)),
            ("minimax-m2", Version(0, 0)),
        ] {
            assert_eq!(Version::parse(name), version, "{name}");
        }
        assert!(!Version::parse("claude-haiku-4-5").adapts() && Version::parse("claude-opus-4-6").adapts());
        assert!(!Version::parse("claude-opus-4-6").refuses_sampling());
        assert!(Version::parse("claude-opus-4-7").refuses_sampling());
    }
}
