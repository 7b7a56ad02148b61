//! The front matter of `SKILL.md`: a few fields as YAML between two lines of dashes.

use saphyr_parser::{Event, Parser};
use storage::records::SkillUsableIn;

use super::{BundleFault, SKILL_MD};

/// Maximum size of the front matter in bytes.
const MAX_FRONT_MATTER_BYTES: usize = 16 << 10;
/// Maximum number of characters of a name and of a description.
const NAME: usize = 100;
const DESCRIPTION: usize = 2_000;
/// Maximum number of services of a skill.
const SERVICES: usize = 20;
/// Maximum nesting depth of lists and objects.
const MAX_DEPTH: usize = 8;
/// Maximum number of fields, and of values in a list.
const MAX_ENTRIES: usize = 200;

/// The front matter of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Front {
    pub name: Option<String>,
    pub description: Option<String>,
    /// Where the skill can be used.
    pub usable_in: Option<SkillUsableIn>,
    /// The services that the skill's functions require.
    pub services: Vec<String>,
}

impl Front {
    /// Returns the faults of the fields. Each message starts with the name of the field.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (field, text, most) in
            [("name", &self.name, NAME), ("description", &self.description, DESCRIPTION)]
        {
            match text.as_deref().map(str::trim).unwrap_or_default() {
                "" => faults.push(format!("`{field}` is missing")),
                text if text.chars().count() > most => {
                    faults.push(format!("`{field}` is longer than {most} characters"));
                }
                text if text.contains(|c: char| c.is_control() && c != '\n') => {
                    faults.push(format!("`{field}` holds control characters"));
                }
                _ => {}
            }
        }
        if self.services.len() > SERVICES {
            faults.push(format!("`services` has more than {SERVICES} entries"));
        }
        faults.extend(self.services.iter().filter_map(|service| service_fault(service)));
        faults
    }
}

/// Checks the name of a service. Valid names are `data`, `knowledge`, `service:` with the name of an external service,
/// `web:*`, and `web:` with a host and its port, if it is not the default port.
fn service_fault(service: &str) -> Option<String> {
    let host = |host: &str| {
        let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
        let good = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'.' | b'-');
        let is_name = !name.is_empty() && name.len() <= 253 && name.bytes().all(good);
        is_name && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port))
    };
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_';
    let external = |name: &str| (1..=63).contains(&name.len()) && name.bytes().all(plain);
    let good = match service.split_once(':') {
        Some(("web", named)) => named == "*" || host(named),
        Some(("service", name)) => external(name),
        _ => matches!(service, "data" | "knowledge"),
    };
    let shown: String = service.chars().take(80).collect();
    let requirement = "is no service; there are `data`, `knowledge`, `web:*`, `web:` with a host in small letters, and \
         `service:` with the name of an external service";
    (!good).then(|| format!("`services`: {shown:?} {requirement}"))
}

/// Splits a `SKILL.md` into its front matter and the rest.
pub(super) fn split(whole: &str) -> Result<(Front, &str), Vec<BundleFault>> {
    let one =
        |line: Option<u32>, message: String| vec![BundleFault { path: SKILL_MD.to_owned(), line, message }];
    let begins = whole.strip_prefix("---\n").or_else(|| whole.strip_prefix("---\r\n"));
    let missing =
        || one(Some(1), "has to begin with a line `---`, its fields, and another line `---`".to_owned());
    let inner = begins.ok_or_else(missing)?;
    let mut length = 0;
    let end = inner.split_inclusive('\n').find_map(|line| {
        let is_end = line.trim_end() == "---";
        let at = length;
        length += line.len();
        is_end.then_some((at, length))
    });
    let (end, rest) = end.ok_or_else(missing)?;
    if end > MAX_FRONT_MATTER_BYTES {
        return Err(one(None, format!("its head is longer than {MAX_FRONT_MATTER_BYTES} bytes")));
    }
    let said = fields(&inner[..end]).map_err(|(line, why)| one(Some(line + 1), why))?;
    let (front, mut faults) = front(said);
    faults.extend(front.faults());
    let fault = |message| BundleFault::new(SKILL_MD, message);
    if faults.is_empty() { Ok((front, &inner[rest..])) } else { Err(faults.into_iter().map(fault).collect()) }
}

fn front(said: Vec<(String, FieldValue)>) -> (Front, Vec<String>) {
    let (mut front, mut faults) = (Front::default(), Vec::new());
    for (field, value) in said {
        match (field.as_str(), value) {
            ("name", FieldValue::Text(text)) => front.name = Some(text.trim().to_owned()),
            ("description", FieldValue::Text(text)) => front.description = Some(text.trim().to_owned()),
            ("usable_in", FieldValue::Text(text)) => match usable_in(&text) {
                Some(place) => front.usable_in = Some(place),
                None => faults.push("`usable_in` is `chat`, `workflow` or `both`".to_owned()),
            },
            ("services", FieldValue::List(services)) => front.services = services,
            ("services", FieldValue::Text(text)) if text.is_empty() => {}
            ("name" | "description" | "usable_in", _) => faults.push(format!("`{field}` has to be a text")),
            ("services", _) => faults.push("`services` has to be a list of texts".to_owned()),
            // Other fields are meant for other programs.
            _ => {}
        }
    }
    (front, faults)
}

/// The place of use with this name.
pub(in crate::skills) fn usable_in(name: &str) -> Option<SkillUsableIn> {
    match name {
        "chat" => Some(SkillUsableIn::Chat),
        "workflow" => Some(SkillUsableIn::Workflow),
        "both" => Some(SkillUsableIn::Both),
        _ => None,
    }
}

/// A field value, as far as it is relevant: every scalar is read as text.
enum FieldValue {
    Text(String),
    List(Vec<String>),
    Other,
}

/// Parses a YAML object. Rejects anchors and aliases, which could expand to more than what is written.
fn fields(yaml: &str) -> Result<Vec<(String, FieldValue)>, (u32, String)> {
    let mut parser = Parser::new_from_str(yaml);
    let mut fields: Vec<(String, FieldValue)> = Vec::new();
    let (mut depth, mut key, mut list): (usize, Option<String>, Option<Vec<Option<String>>>) =
        (0, None, None);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|why| (line(why.marker().line()), why.info().to_owned()))?;
        let wrong = |why: &str| Err((line(span.start.line()), why.to_owned()));
        match event {
            Event::DocumentStart(_) if depth > 0 || !fields.is_empty() => return wrong("has two documents"),
            Event::Alias(_) => return wrong("may not refer to another place by `*`"),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if anchor != 0 =>
            {
                return wrong("may not name a place by `&`");
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_list = matches!(event, Event::SequenceStart(..));
                match depth {
                    0 if is_list => return wrong("has to be fields with values"),
                    1 if key.is_none() => return wrong("a field's name has to be a text"),
                    1 if is_list => list = Some(Vec::new()),
                    // A value inside a list that is not text.
                    2 => list.iter_mut().for_each(|list| list.push(None)),
                    _ => {}
                }
                depth += 1;
                if depth > MAX_DEPTH {
                    return wrong("is nested too deeply");
                }
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1
                    && let Some(key) = key.take()
                {
                    let texts = list.take().and_then(|list| list.into_iter().collect::<Option<Vec<_>>>());
                    fields.push((key, texts.map_or(FieldValue::Other, FieldValue::List)));
                }
            }
            Event::Scalar(text, ..) => match (depth, key.take()) {
                (0, _) if text.is_empty() => {}
                (0, _) => return wrong("has to be fields with values"),
                (1, None) if fields.iter().any(|(known, _)| *known == text) => {
                    return wrong(&format!("the field {text:?} is there twice"));
                }
                (1, None) => key = Some(text.into_owned()),
                (1, Some(key)) => fields.push((key, FieldValue::Text(text.into_owned()))),
                (2, inside) => {
                    list.iter_mut().for_each(|list| list.push(Some(text.clone().into_owned())));
                    key = inside;
                }
                (_, inside) => key = inside,
            },
            _ => {}
        }
        if fields.len() > MAX_ENTRIES || list.as_ref().is_some_and(|list| list.len() > MAX_ENTRIES) {
            return wrong("has too many values");
        }
    }
    Ok(fields)
}

fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
