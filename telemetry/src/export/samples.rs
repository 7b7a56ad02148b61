//! Reads the metrics back from the text output of the recorder, which is their only storage.

use std::collections::BTreeMap;

use crate::metrics::{ALL, Definition, Type};

/// A metric with its series.
#[derive(Debug)]
pub(super) struct Metric {
    pub definition: &'static Definition,
    /// The series by their labels.
    pub series: BTreeMap<Vec<(String, String)>, Series>,
}

/// The values of one series.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Series {
    /// The value of a counter or a gauge.
    pub value: f64,
    /// For a histogram: upper bounds with the number of values up to each; infinity is last.
    pub buckets: Vec<(f64, u64)>,
    pub sum: f64,
    pub count: u64,
}

/// Parses the Prometheus text format. Lines of metrics that are not in the table are skipped.
pub(super) fn read(text: &str) -> Vec<Metric> {
    let mut metrics: BTreeMap<&'static str, Metric> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, mut labels, value)) = sample(line) else { continue };
        let Some((definition, part)) = definition(name) else { continue };
        let metric =
            metrics.entry(definition.name).or_insert_with(|| Metric { definition, series: BTreeMap::new() });
        let bound = match part {
            "_bucket" => {
                let at = labels.iter().position(|(name, _)| name == "le");
                at.and_then(|at| labels.remove(at).1.replace("+Inf", "inf").parse::<f64>().ok())
            }
            _ => None,
        };
        labels.sort();
        let series = metric.series.entry(labels).or_default();
        match (part, bound) {
            ("_bucket", Some(bound)) => series.buckets.push((bound, value as u64)),
            ("_sum", _) => series.sum = value,
            ("_count", _) => series.count = value as u64,
            _ => series.value = value,
        }
    }
    metrics.into_values().collect()
}

/// Returns the metric that a series name belongs to, and the suffix if it is part of a histogram.
fn definition(name: &str) -> Option<(&'static Definition, &'static str)> {
    let of = |name: &str| ALL.iter().copied().find(|metric| metric.name == name);
    if let Some(metric) = of(name) {
        return Some((metric, ""));
    }
    ["_bucket", "_sum", "_count"].into_iter().find_map(|part| {
        let metric = of(name.strip_suffix(part)?)?;
        (metric.kind == Type::Histogram).then_some((metric, part))
    })
}

type Labels = Vec<(String, String)>;

fn sample(line: &str) -> Option<(&str, Labels, f64)> {
    let (series, value) = line.rsplit_once(' ')?;
    let value = value.parse().ok()?;
    let Some((name, rest)) = series.split_once('{') else { return Some((series, Vec::new(), value)) };
    let (mut labels, mut rest) = (Vec::new(), rest);
    while !rest.starts_with('}') && !rest.is_empty() {
        let (name, quoted) = rest.trim_start_matches(',').split_once("=\"")?;
        let (value, after) = unquoted(quoted)?;
        labels.push((name.to_owned(), value));
        rest = after;
    }
    Some((name, labels, value))
}

/// Returns a label's value up to its closing quote, and the rest of the text.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let (mut value, mut chars) = (String::new(), text.char_indices());
    while let Some((at, next)) = chars.next() {
        match next {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_parses_series_and_skips_unknown_lines() {
        let text = "# HELP understudy_runs_ended_total x\n# TYPE understudy_runs_ended_total counter\n\
            understudy_runs_ended_total{kind=\"completion\",outcome=\"a\\\"b\\\\c\\nd}, e\"} 7\n\
            understudy_uptime_seconds 1.5\nsomething_else 3\n\
            understudy_run_duration_seconds_bucket{kind=\"video\",le=\"0.05\"} 1\n\
            understudy_run_duration_seconds_bucket{kind=\"video\",le=\"+Inf\"} 4\n\
            understudy_run_duration_seconds_sum{kind=\"video\"} 12.5\n\
            understudy_run_duration_seconds_count{kind=\"video\"} 4\n";
        let metrics = read(text);
        assert_eq!(metrics.len(), 3);
        let of = |name: &str| metrics.iter().find(|metric| metric.definition.name == name).unwrap();
        let ended = &of("understudy_runs_ended_total").series;
        let labels = vec![
            ("kind".to_owned(), "completion".to_owned()),
            ("outcome".to_owned(), "a\"b\\c\nd}, e".to_owned()),
        ];
        assert_eq!(ended[&labels].value, 7.0);
        assert_eq!(of("understudy_uptime_seconds").series[&vec![]].value, 1.5);
        let took =
            &of("understudy_run_duration_seconds").series[&vec![("kind".to_owned(), "video".to_owned())]];
        assert_eq!(took.buckets, [(0.05, 1), (f64::INFINITY, 4)]);
        assert_eq!((took.sum, took.count), (12.5, 4));
    }
}
