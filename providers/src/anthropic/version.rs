//! What a model of a version takes. The names tell the version, and the interface does not tell the rest.

/// The version of a model: of `claude-opus-4-6` it is 4.6, of `claude-3-7-sonnet-20250219` 3.7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32);

impl Version {
    /// Models of others that speak this interface take what the first ones took; those of Anthropic that name
    /// no version are taken for new ones.
    pub(super) fn parse(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        let Some((_, name)) = model.split_once("claude") else {
            return Self(0, 0);
        };
        // Eight digits are a date.
        let number = |part: &str| part.parse().ok().filter(|_| part.len() <= 2);
        let mut parts = name.split(['-', '.', '@', ':']).skip_while(|part| number(part).is_none());
        let Some(major) = parts.next().and_then(number) else {
            return Self(u32::MAX, 0);
        };
        Self(major, parts.next().and_then(number).unwrap_or(0))
    }

    /// It decides itself how much it thinks, and is told only how hard to try.
    pub(super) fn adapts(self) -> bool {
        self >= Self(4, 6)
    }

    /// It tells its thoughts only if it is asked to.
    pub(super) fn hides_thoughts(self) -> bool {
        self >= Self(4, 7)
    }

    /// It refuses `temperature`, `top_p` and `top_k`.
    pub(super) fn refuses_sampling(self) -> bool {
        self >= Self(4, 7)
    }

    /// It takes `temperature` or `top_p`, not both.
    pub(super) fn samples_one_way(self) -> bool {
        self >= Self(4, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_version() {
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
