//! The handles through which code emits metrics. The number of labels is part of the type.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use metrics::{Level, Metadata};
use parking_lot::Mutex;

use super::definition::{Definition, Type};
use super::recorder;

static METADATA: Metadata<'static> = Metadata::new("understudy", Level::INFO, None);

/// A counter with `N` labels.
#[derive(Debug)]
pub struct Counter<const N: usize> {
    pub(super) definition: Definition,
    /// The series of a counter without labels, once it is registered.
    only: Only<metrics::Counter>,
}

/// A gauge with `N` labels.
#[derive(Debug)]
pub struct Gauge<const N: usize> {
    pub(super) definition: Definition,
    /// The label sets that [`Gauge::set_all`] has set.
    set: Mutex<BTreeSet<Vec<String>>>,
}

/// A histogram with `N` labels.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    pub(super) definition: Definition,
    /// The series of a histogram without labels, once it is registered.
    only: Only<metrics::Histogram>,
}

/// The only series of a metric without labels, so that it need not be looked up for each value.
#[derive(Debug)]
struct Only<T>(OnceLock<T>);

impl<T> Only<T> {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns the series. `None` if the metric has labels, or if no recorder is installed yet: a series that is
    /// registered before belongs to no recorder.
    fn get<const N: usize>(&self, values: [&str; N], register: impl FnOnce([&str; N]) -> T) -> Option<&T> {
        match self.0.get() {
            Some(series) => Some(series),
            None if N == 0 && recorder::is_installed() => Some(self.0.get_or_init(|| register(values))),
            None => None,
        }
    }
}

impl<const N: usize> Counter<N> {
    pub(super) const fn new(
        name: &'static str,
        unit: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
        buckets: &'static [f64],
    ) -> Self {
        let definition = Definition::new((name, Type::Counter), unit, labels, help, buckets);
        Self { definition, only: Only::new() }
    }

    pub(super) const fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the series with these label values. Code that runs for every request should retain it.
    pub fn with(&self, values: [&str; N]) -> metrics::Counter {
        metrics::with_recorder(|recorder| recorder.register_counter(&self.definition.key(&values), &METADATA))
    }

    /// Adds to the series with these label values.
    pub fn add(&self, values: [&str; N], number: u64) {
        match self.only.get(values, |values| self.with(values)) {
            Some(only) => only.increment(number),
            None => self.with(values).increment(number),
        }
    }
}

impl<const N: usize> Gauge<N> {
    pub(super) const fn new(
        name: &'static str,
        unit: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
        buckets: &'static [f64],
    ) -> Self {
        let definition = Definition::new((name, Type::Gauge), unit, labels, help, buckets);
        Self { definition, set: Mutex::new(BTreeSet::new()) }
    }

    pub(super) const fn definition(&self) -> &Definition {
        &self.definition
    }

    fn with(&self, values: &[&str]) -> metrics::Gauge {
        metrics::with_recorder(|recorder| recorder.register_gauge(&self.definition.key(values), &METADATA))
    }

    /// Sets the series with these label values.
    pub fn set(&self, values: [&str; N], value: f64) {
        self.with(&values).set(value);
    }

    /// Sets the series with these label values, and sets series of earlier calls that are not among them to 0.
    pub fn set_all(&self, rows: impl IntoIterator<Item = ([String; N], f64)>) {
        let mut set = self.set.lock();
        let mut gone = set.clone();
        for (values, value) in rows {
            self.with(&values.each_ref().map(String::as_str)).set(value);
            gone.remove(values.as_slice());
            set.insert(values.to_vec());
        }
        for values in gone {
            self.with(&values.iter().map(String::as_str).collect::<Vec<_>>()).set(0.0);
        }
    }

    /// Counts an open object until the guard is dropped.
    pub fn open(&self, values: [&str; N]) -> Open {
        let gauge = self.with(&values);
        gauge.increment(1.0);
        Open(gauge)
    }
}

impl<const N: usize> Histogram<N> {
    pub(super) const fn new(
        name: &'static str,
        unit: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
        buckets: &'static [f64],
    ) -> Self {
        let definition = Definition::new((name, Type::Histogram), unit, labels, help, buckets);
        Self { definition, only: Only::new() }
    }

    pub(super) const fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the series with these label values. Code that runs for every request should retain it.
    pub fn with(&self, values: [&str; N]) -> metrics::Histogram {
        metrics::with_recorder(|recorder| {
            recorder.register_histogram(&self.definition.key(&values), &METADATA)
        })
    }

    /// Records one value in the series with these label values.
    pub fn record(&self, values: [&str; N], value: f64) {
        match self.only.get(values, |values| self.with(values)) {
            Some(only) => only.record(value),
            None => self.with(values).record(value),
        }
    }
}

/// A guard for an object that a gauge counts as long as the guard exists.
pub struct Open(metrics::Gauge);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_and_record_keep_series_only_of_an_installed_recorder() {
        static EVENTS: Counter<0> = Counter::new("understudy_test_events_total", "", &[], "", &[]);
        static SIZES: Histogram<0> = Histogram::new("understudy_test_sizes", "", &[], "", &[]);
        static LABELLED: Counter<1> = Counter::new("understudy_test_labelled_total", "", &["a"], "", &[]);
        // Other tests of the process may have installed it.
        let early = u64::from(recorder::is_installed());
        EVENTS.add([], 1);
        SIZES.record([], 1.0);
        recorder::install();
        for number in [1, 2] {
            EVENTS.add([], number);
            SIZES.record([], 1.0);
        }
        LABELLED.add(["x"], 1);
        LABELLED.add(["y"], 2);
        let text = recorder::render().expect("a recorder is installed");
        for line in [
            format!("understudy_test_events_total {}", 3 + early),
            format!("understudy_test_sizes_count {}", 2 + early),
            "understudy_test_labelled_total{a=\"x\"} 1".to_owned(),
            "understudy_test_labelled_total{a=\"y\"} 2".to_owned(),
        ] {
            assert!(text.lines().any(|written| written == line), "{line} is not in {text}");
        }
    }
}
