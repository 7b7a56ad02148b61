//! A strict parser of the Prometheus text format.

/// One metric with all its series.
#[derive(Debug)]
pub struct Family {
    pub name: String,
    pub kind: String,
    pub help: String,
    pub samples: Vec<Sample>,
}

/// A line of the exposition format.
#[derive(Debug)]
pub struct Sample {
    pub name: String,
    pub labels: Vec<(String, String)>,
    pub value: f64,
}

/// Parses a scrape, and checks that each family has HELP and TYPE, once, before its samples.
#[track_caller]
pub fn families(text: &str) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a help text");
            assert!(families.iter().all(|family| family.name != name), "{name} occurs twice");
            let (kind, samples) = (String::new(), Vec::new());
            families.push(Family { name: name.to_owned(), kind, help: help.to_owned(), samples });
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            let family = families.last_mut().filter(|family| family.name == name);
            family.unwrap_or_else(|| panic!("{name} has no HELP")).kind = kind.to_owned();
        } else {
            let sample = sample(line);
            let family = families.last_mut().expect("a family before its samples");
            assert!(sample.name.starts_with(&family.name), "{line} stands below {}", family.name);
            family.samples.push(sample);
        }
    }
    families
}

fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').expect("a value");
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let labels = labels.strip_suffix('}').expect("the end of the labels");
    let pair = |pair: &str| {
        let (name, value) = pair.split_once("=\"").expect("a label");
        (name.to_owned(), value.trim_end_matches('"').to_owned())
    };
    let labels = labels.split("\",").filter(|pair| !pair.is_empty()).map(pair).collect();
    Sample { name: name.to_owned(), labels, value: value.parse().expect("a number") }
}

/// The value of the series with exactly these labels.
pub fn value(families: &[Family], name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let same = |sample: &&Sample| {
        sample.name == name
            && sample.labels.len() == labels.len()
            && labels.iter().all(|(name, value)| sample.labels.iter().any(|(n, v)| n == name && v == value))
    };
    families.iter().flat_map(|family| &family.samples).find(same).map(|sample| sample.value)
}
