//! The formats of price tables.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::ModelPrice;
use super::decimal::scaled;

/// Maximum number of models in a table.
const MAX_MODELS: usize = 20_000;
/// Maximum length of a model's name in characters.
const NAME: usize = 200;
/// Maximum number of faults that are reported.
const FAULTS: usize = 100;

/// The format of a price table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceFormat {
    /// `[[models]]` with `id`, `input_price`, `output_price`, `cached_price` and `cache_write_price` in dollars per
    /// million tokens, and `unit_price` in dollars per unit; the same fields as in the configuration.
    Toml,
    /// A header line (`model`, `input_per_million`, `output_per_million`, `cached_per_million`,
    /// `cache_write_per_million`, `per_unit`), followed by one line per model.
    Csv,
    /// An object keyed by model name. Each model has `input_cost_per_token`, `output_cost_per_token`,
    /// `cache_read_input_token_cost` and `cache_creation_input_token_cost` in dollars per token. Other fields are
    /// ignored, and models without any of these fields are skipped.
    Json,
}

impl PriceFormat {
    /// Detects the format of a text.
    fn detect(text: &str) -> Self {
        let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let first = text.lines().next().unwrap_or_default();
        let is_header = first.split(',').any(|name| name.trim().trim_matches('"') == "model");
        match text.as_bytes().first() {
            Some(b'{') => Self::Json,
            _ if is_header => Self::Csv,
            _ => Self::Toml,
        }
    }
}

/// A fault in a price table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceFault {
    /// The line number, starting at 1, if known.
    pub line: Option<u64>,
    pub model: Option<String>,
    pub field: Option<String>,
    /// A description of the fault, with the value that caused it.
    pub what: String,
}

impl fmt::Display for PriceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        for name in [&self.model, &self.field].into_iter().flatten() {
            write!(f, "{name}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// The result of a successful import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceImport {
    /// The prices by model name in lower case.
    pub prices: BTreeMap<String, ModelPrice>,
    /// Model and field of each price that was rounded up because it was finer than a nano-dollar.
    pub rounded: Vec<(String, String)>,
    /// Number of models without a supported price.
    pub skipped: u64,
}

/// Parses a price table. If `format` is `None`, the format is detected from the text.
///
/// # Errors
/// Returns every fault, up to a hundred; no price of the table may be used then.
pub fn read_prices(text: &str, format: Option<PriceFormat>) -> Result<PriceImport, Vec<PriceFault>> {
    let mut reading = Reading::default();
    match format.unwrap_or_else(|| PriceFormat::detect(text)) {
        PriceFormat::Toml => reading.toml(text),
        PriceFormat::Csv => reading.csv(text),
        PriceFormat::Json => reading.json(text),
    }
    reading.done()
}

/// A price field: its name, its meaning, and how dollars are converted to nano-dollars.
struct Field {
    name: &'static str,
    /// The kind of model for which the field is used; `None` for all kinds.
    mode: Option<&'static str>,
    power: i32,
    times: u64,
    set: fn(&mut ModelPrice) -> &mut Option<u64>,
    dearest: u64,
}

const fn token(name: &'static str, power: i32, set: fn(&mut ModelPrice) -> &mut Option<u64>) -> Field {
    Field { name, mode: None, power, times: 1, set, dearest: ModelPrice::MAX_TOKEN_PRICE }
}

const fn unit(name: &'static str, mode: Option<&'static str>, power: i32, times: u64) -> Field {
    Field {
        name,
        mode,
        power,
        times,
        set: |price| &mut price.unit_nanos,
        dearest: ModelPrice::MAX_UNIT_PRICE,
    }
}

/// A dollar per million tokens equals a thousand nano-dollars per token.
const TOML: [Field; 5] = [
    token("input_price", 3, |price| &mut price.input_nanos),
    token("output_price", 3, |price| &mut price.output_nanos),
    token("cached_price", 3, |price| &mut price.cached_nanos),
    token("cache_write_price", 3, |price| &mut price.cache_write_nanos),
    unit("unit_price", None, 9, 1),
];
const CSV: [Field; 5] = [
    token("input_per_million", 3, |price| &mut price.input_nanos),
    token("output_per_million", 3, |price| &mut price.output_nanos),
    token("cached_per_million", 3, |price| &mut price.cached_nanos),
    token("cache_write_per_million", 3, |price| &mut price.cache_write_nanos),
    unit("per_unit", None, 9, 1),
];
/// The units are a million characters, a minute, an image and a second.
const JSON: [Field; 8] = [
    token("input_cost_per_token", 9, |price| &mut price.input_nanos),
    token("output_cost_per_token", 9, |price| &mut price.output_nanos),
    token("cache_read_input_token_cost", 9, |price| &mut price.cached_nanos),
    token("cache_creation_input_token_cost", 9, |price| &mut price.cache_write_nanos),
    unit("input_cost_per_character", Some("audio_speech"), 15, 1),
    unit("input_cost_per_second", Some("audio_transcription"), 9, 60),
    unit("output_cost_per_image", Some("image_generation"), 9, 1),
    unit("output_cost_per_second", Some("video_generation"), 9, 1),
];

/// The state of parsing a table.
#[derive(Default)]
struct Reading {
    read: PriceImport,
    faults: Vec<PriceFault>,
    more: u64,
}

/// The position of a model in a table, for faults.
#[derive(Clone, Copy)]
struct ModelPosition<'a> {
    line: Option<u64>,
    model: &'a str,
}

impl Reading {
    fn fault(&mut self, place: Option<ModelPosition>, field: Option<&str>, what: impl Into<String>) {
        if self.faults.len() == FAULTS {
            self.more += 1;
            return;
        }
        let model = place.map(|place| place.model).filter(|model| !model.is_empty()).map(str::to_owned);
        let line = place.and_then(|place| place.line);
        self.faults.push(PriceFault { line, model, field: field.map(str::to_owned), what: what.into() });
    }

    fn price(&mut self, place: ModelPosition, price: &mut ModelPrice, field: &Field, text: &str) {
        let read = scaled(text, field.power, field.times);
        match read.and_then(|(nanos, _)| if nanos > field.dearest { Err("is too dear") } else { read }) {
            Ok((nanos, rounded)) => {
                *(field.set)(price) = Some(nanos);
                if rounded {
                    self.read.rounded.push((place.model.to_owned(), field.name.to_owned()));
                }
            }
            Err(why) => self.fault(Some(place), Some(field.name), why),
        }
    }

    fn add(&mut self, place: ModelPosition, price: ModelPrice) {
        let name = place.model.trim().to_lowercase();
        if name.is_empty() || name.chars().count() > NAME {
            return self.fault(Some(place), None, format!("a model's name has 1 to {NAME} characters"));
        }
        if self.read.prices.insert(name, price).is_some() {
            self.fault(Some(place), None, "this model is listed twice");
        }
    }

    fn done(mut self) -> Result<PriceImport, Vec<PriceFault>> {
        if self.faults.is_empty() && self.read.prices.is_empty() {
            self.fault(None, None, "it contains no prices");
        }
        if self.read.prices.len() > MAX_MODELS {
            self.fault(None, None, format!("there are more than {MAX_MODELS} models in it"));
        }
        if self.more > 0 {
            let what = format!("and {} faults more", self.more);
            self.faults.push(PriceFault { line: None, model: None, field: None, what });
        }
        if self.faults.is_empty() { Ok(self.read) } else { Err(self.faults) }
    }

    fn toml(&mut self, text: &str) {
        let table = match text.trim_start_matches('\u{feff}').parse::<toml::Table>() {
            Ok(table) => table,
            Err(error) => {
                let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or_default());
                let line = 1 + before.matches('\n').count() as u64;
                return self.fault(
                    Some(ModelPosition { line: Some(line), model: "" }),
                    None,
                    error.message(),
                );
            }
        };
        for (key, value) in &table {
            match value {
                toml::Value::Array(models) if key == "models" => {
                    models.iter().for_each(|model| self.toml_model(model));
                }
                _ => self.fault(None, Some(key), "is not what is looked for: a list of `models`"),
            }
        }
    }

    fn toml_model(&mut self, value: &toml::Value) {
        let Some(table) = value.as_table() else {
            return self.fault(None, Some("models"), "contains a value that is not a table");
        };
        let model = table.get("id").and_then(toml::Value::as_str).unwrap_or_default();
        let (place, mut price) = (ModelPosition { line: None, model }, ModelPrice::default());
        for (key, value) in table.iter().filter(|(key, _)| *key != "id") {
            let Some(field) = TOML.iter().find(|field| field.name == key) else {
                self.fault(Some(place), Some(key), "is not a field of a model's price");
                continue;
            };
            // The shortest decimal representation of a float is the text that was written, unless that had more than
            // 15 digits.
            match value {
                toml::Value::Integer(number) => self.price(place, &mut price, field, &number.to_string()),
                toml::Value::Float(number) => self.price(place, &mut price, field, &number.to_string()),
                toml::Value::String(text) => self.price(place, &mut price, field, text),
                _ => self.fault(Some(place), Some(key), "is no number"),
            }
        }
        self.add_model(place, price, table.keys().any(|key| key != "id"));
    }

    fn csv(&mut self, text: &str) {
        let text = text.trim_start_matches('\u{feff}');
        let mut rows = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let names = match rows.headers() {
            Ok(names) => names.clone(),
            Err(error) => return self.fault(None, None, error.to_string()),
        };
        let first = ModelPosition { line: Some(1), model: "" };
        for (at, name) in names.iter().enumerate() {
            if name != "model" && !CSV.iter().any(|field| field.name == name) {
                self.fault(Some(first), Some(name), "is not a column of a price table");
            } else if names.iter().take(at).any(|other| other == name) {
                self.fault(Some(first), Some(name), "is there twice");
            }
        }
        let Some(model) = names.iter().position(|name| name == "model") else {
            return self.fault(Some(first), None, "there is no column `model`");
        };
        for row in rows.records() {
            match row {
                Ok(row) => self.csv_row(&names, &row, model),
                Err(error) => {
                    let line = error.position().map(csv::Position::line);
                    let why = "has more or fewer cells than there are columns, or is not UTF-8";
                    self.fault(Some(ModelPosition { line, model: "" }), None, why);
                }
            }
        }
    }

    fn csv_row(&mut self, names: &csv::StringRecord, row: &csv::StringRecord, model: usize) {
        let line = row.position().map(csv::Position::line);
        let place = ModelPosition { line, model: row.get(model).unwrap_or_default() };
        let (mut price, mut has_price) = (ModelPrice::default(), false);
        for (name, text) in names.iter().zip(row).filter(|(_, text)| !text.is_empty()) {
            if let Some(field) = CSV.iter().find(|field| field.name == name) {
                has_price = true;
                self.price(place, &mut price, field, text);
            }
        }
        self.add_model(place, price, has_price);
    }

    /// Adds a model of a TOML or CSV table, in which each model must have a price.
    fn add_model(&mut self, place: ModelPosition, price: ModelPrice, has_price: bool) {
        if !has_price {
            return self.fault(Some(place), None, "has no price");
        }
        self.add(place, price);
    }

    fn json(&mut self, text: &str) {
        let models = match serde_json::from_str::<Pairs>(text.trim_start_matches('\u{feff}')) {
            Ok(models) => models.0,
            Err(error) => {
                let place = ModelPosition { line: Some(error.line() as u64), model: "" };
                return self.fault(Some(place), None, format!("is not an object of models: {error}"));
            }
        };
        for (model, raw) in models {
            let place = ModelPosition { line: None, model: &model };
            match serde_json::from_str::<Pairs>(raw.get()) {
                Ok(fields) => self.json_model(place, &fields.0),
                Err(_) => self.fault(Some(place), None, "must be an object"),
            }
        }
    }

    fn json_model(&mut self, place: ModelPosition, fields: &[(String, &RawValue)]) {
        let mode = fields.iter().find(|(name, _)| name == "mode").map(|(_, raw)| raw.get().trim_matches('"'));
        let mut price = ModelPrice::default();
        let faults = self.faults.len();
        for (name, raw) in fields.iter().filter(|(_, raw)| raw.get() != "null") {
            let fits = |field: &&Field| field.name == name && (field.mode.is_none() || field.mode == mode);
            if let Some(field) = JSON.iter().find(fits) {
                self.price(place, &mut price, field, raw.get());
            }
        }
        if !price.is_empty() {
            self.add(place, price);
        } else if faults == self.faults.len() {
            self.read.skipped += 1;
        }
    }
}

/// The raw content of an object: numbers as written, and duplicate names preserved.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        from.deserialize_map(Each)
    }
}
