//! The declaration of one metric.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use metrics::{Key, Label};
use parking_lot::Mutex;

/// Maximum number of label sets of one metric. Further ones are counted under [`OTHER`].
const MAX_SERIES: usize = 2_500;
/// Maximum size of a label value in bytes; longer values are truncated.
const MAX_VALUE_LENGTH: usize = 128;
/// The label value of the series that receives everything beyond [`MAX_SERIES`].
const OTHER: &str = "other";

/// The Prometheus type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Only increases until the process ends.
    Counter,
    /// A value that goes up and down.
    Gauge,
    /// A distribution over fixed buckets.
    Histogram,
}

impl Type {
    /// The name in the exposition format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A metric: name, type, unit, labels and help.
#[derive(Debug)]
pub struct Definition {
    /// The full name, with prefix and unit suffix.
    pub name: &'static str,
    /// Counter, gauge or histogram.
    pub kind: Type,
    /// The unit as OpenTelemetry writes it (UCUM): `s`, `By`, `{run}`, or `1`.
    pub unit: &'static str,
    /// The names of its labels, in the order in which handles take their values.
    pub labels: &'static [&'static str],
    /// The `HELP` text, one sentence.
    pub help: &'static str,
    /// The upper bounds of a histogram's buckets; empty otherwise.
    pub buckets: &'static [f64],
    /// Hashes of the label sets in use.
    seen: Mutex<BTreeSet<u64>>,
}

impl Definition {
    pub(super) const fn new(
        (name, kind): (&'static str, Type),
        unit: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
        buckets: &'static [f64],
    ) -> Self {
        Self { name, kind, unit, labels, help, buckets, seen: Mutex::new(BTreeSet::new()) }
    }

    /// The key of one series. Label sets beyond [`MAX_SERIES`] share one series, so that a client cannot make the
    /// registry grow without limit.
    pub(super) fn key(&self, values: &[&str]) -> Key {
        if values.is_empty() {
            return Key::from_static_name(self.name);
        }
        let admitted = self.admits(values);
        let label = |(name, value): (&&'static str, &&str)| {
            Label::new(*name, if admitted { shortened(value).to_owned() } else { OTHER.to_owned() })
        };
        Key::from_parts(self.name, self.labels.iter().zip(values).map(label).collect::<Vec<_>>())
    }

    fn admits(&self, values: &[&str]) -> bool {
        let mut hasher = DefaultHasher::new();
        values.hash(&mut hasher);
        let hash = hasher.finish();
        let mut seen = self.seen.lock();
        if seen.contains(&hash) {
            return true;
        }
        seen.len() < MAX_SERIES && seen.insert(hash)
    }
}

fn shortened(value: &str) -> &str {
    &value[..value.floor_char_boundary(MAX_VALUE_LENGTH)]
}

#[cfg(test)]
mod tests {
    use super::*;

    static SMALL: Definition =
        Definition::new(("test_total", Type::Counter), "1", &["model"], "For the test.", &[]);

    #[test]
    fn key_maps_label_sets_beyond_the_limit_to_one_series() {
        for number in 0..MAX_SERIES {
            let key = SMALL.key(&[&number.to_string()]);
            assert_eq!(key.labels().next().unwrap().value(), number.to_string());
        }
        for value in ["one too many", "and another"] {
            assert_eq!(SMALL.key(&[value]).labels().next().unwrap().value(), OTHER);
        }
        assert_eq!(SMALL.key(&["7"]).labels().next().unwrap().value(), "7", "known ones keep their series");
    }

    #[test]
    fn shortened_truncates_at_a_character_boundary() {
        assert_eq!(shortened(&"é".repeat(100)).len(), 128);
        assert_eq!(shortened(&format!("x{}", "é".repeat(100))).len(), 127);
        assert_eq!(shortened("short"), "short");
    }
}
