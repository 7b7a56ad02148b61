use proptest::prelude::*;

use super::*;
use crate::config::{CheckedProvider, ProviderKind};

fn host(name: &str, kind: ProviderKind, url: &str) -> Host {
    Host::new(CheckedProvider { kind, ..CheckedProvider::new(name, crate::config::base_url(url).unwrap()) })
}

fn openai() -> Host {
    host("open", ProviderKind::Openai, "https://api.openai.com/v1")
}

fn acme() -> Host {
    host("acme", ProviderKind::Openai, "http://gpu:8000/v1")
}

fn read(text: &str) -> PriceImport {
    read_prices(text, None).unwrap()
}

fn faults(text: &str) -> Vec<String> {
    read_prices(text, None).unwrap_err().iter().map(ToString::to_string).collect()
}

fn tokens(input: u64, output: u64) -> ModelPrice {
    ModelPrice { input_nanos: Some(input), output_nanos: Some(output), ..ModelPrice::default() }
}

#[test]
fn read_prices_accepts_all_three_formats() {
    let toml = "[[models]]\nid = \"Acme/Large\"\ninput_price = 0.15\noutput_price = 2\ncached_price = 0.075\n\
                [[models]]\nid = \"tts\"\nunit_price = 15.0\n";
    let csv = "model,input_per_million,output_per_million,cached_per_million,per_unit\n\
               Acme/Large,0.15,2,.075,\ntts,,,,15\n";
    let json = r#"{"Acme/Large": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 2e-06,
        "cache_read_input_token_cost": 7.5e-8, "max_tokens": 5, "mode": "chat"},
        "tts": {"input_cost_per_character": 1.5e-05, "mode": "audio_speech"}}"#;
    let large = ModelPrice { cached_nanos: Some(75), ..tokens(150, 2_000) };
    let tts = ModelPrice { unit_nanos: Some(15_000_000_000), ..ModelPrice::default() };
    let expected = BTreeMap::from([("acme/large".to_owned(), large), ("tts".to_owned(), tts)]);
    for text in [toml, csv, json] {
        assert_eq!(read(text), PriceImport { prices: expected.clone(), ..PriceImport::default() }, "{text}");
    }
}

#[test]
fn read_prices_reports_rounding_and_counts_skipped_models() {
    let read = read(
        r#"{"a": {"input_cost_per_token": 3.75e-08, "output_cost_per_token": null}, "b": {"mode": "rerank"},
            "c": {"input_cost_per_second": 0.0001, "mode": "audio_transcription"},
            "d": {"input_cost_per_second": 0.0001, "mode": "chat"}}"#,
    );
    assert_eq!(read.prices["a"], ModelPrice { input_nanos: Some(38), ..ModelPrice::default() });
    assert_eq!(read.prices["c"].unit_nanos, Some(6_000_000));
    assert_eq!(read.rounded, [("a".to_owned(), "input_cost_per_token".to_owned())]);
    assert_eq!(read.skipped, 2);
}

#[test]
fn read_prices_reports_every_fault_with_its_position() {
    let csv = "model,input_per_million,weight\na,1,2\na,-1,\nb,x,\n,1,\nc,,\nd\ne,2000000,\n";
    assert_eq!(
        faults(csv),
        [
            "line 1: weight: is not a column of a price table",
            "line 3: a: input_per_million: is negative",
            "line 3: a: this model is listed twice",
            "line 4: b: input_per_million: is no number",
            "line 5: a model's name has 1 to 200 characters",
            "line 6: c: has no price",
            "line 7: has more or fewer cells than there are columns, or is not UTF-8",
            "line 8: e: input_per_million: is too dear",
        ]
    );
    let json = r#"{"a": {"input_cost_per_token": "cheap"}, "b": 5, "c": {"input_cost_per_token": 1e-6}, "c": {"output_cost_per_token": 1}, "d": {"output_cost_per_token": 1.1}}"#;
    assert_eq!(
        faults(json),
        [
            "a: input_cost_per_token: is no number",
            "b: must be an object",
            "c: this model is listed twice",
            "d: output_cost_per_token: is too dear",
        ]
    );
    let toml = "prices = 1\n[[models]]\nid = \"a\"\ninput_price = -1.0\ncolour = 3\n[[models]]\ninput_price = 1\n[[models]]\nid = \"b\"\n";
    assert_eq!(
        faults(toml),
        [
            "a: colour: is not a field of a model's price",
            "a: input_price: is negative",
            "a model's name has 1 to 200 characters",
            "b: has no price",
            "prices: is not what is looked for: a list of `models`",
        ]
    );
    assert!(faults("[[models]]\nid = \"a\"\ninput_price = = 1\n")[0].starts_with("line 3: "));
    assert!(faults("{\n\"a\": {\n")[0].starts_with("line 3: is not an object of models"));
    for empty in ["", "{}", "model,input_per_million\n", "models = []"] {
        assert_eq!(faults(empty), ["it contains no prices"], "{empty:?}");
    }
    let many: String = (0..300).map(|n| format!("m{n},x\n")).collect();
    let messages = faults(&format!("model,input_per_million\n{many}"));
    assert_eq!((messages.len(), messages.last().unwrap().as_str()), (101, "and 200 faults more"));
}

fn priced(table: &PriceTable, host: &Host, id: &str) -> (Option<Prices>, PriceOrigin) {
    let (full, origin) = catalog::priced(host, ModelConfig::id(id), table);
    (full.prices().unwrap(), origin)
}

#[test]
fn priced_prefers_configuration_then_import_then_catalog() {
    let prices = [("gpt-4o", 7), ("acme/large", 8), ("acme/gpt-4o", 9)];
    let prices = prices.map(|(name, nanos)| (name.to_owned(), tokens(nanos, nanos))).into();
    let table = PriceTable { version: 1, prices };
    let input = |host: &Host, id: &str| {
        let (prices, origin) = priced(&table, host, id);
        (prices.map(|prices| prices.input_nanos_per_token), origin)
    };
    assert_eq!(input(&openai(), "gpt-4o"), (Some(7), PriceOrigin::Imported));
    assert_eq!(input(&openai(), "GPT-4o-2024-08-06"), (Some(7), PriceOrigin::Imported), "a dated version");
    assert_eq!(input(&openai(), "gpt-4o-mini"), (Some(150), PriceOrigin::Shipped));
    assert_eq!(input(&acme(), "large"), (Some(8), PriceOrigin::Imported));
    assert_eq!(input(&acme(), "gpt-4o"), (Some(9), PriceOrigin::Imported));
    assert_eq!(input(&acme(), "gpt-4o-mini"), (None, PriceOrigin::Unknown));
    let other = host("other", ProviderKind::Openai, "http://gpu:8000/v1");
    assert_eq!(input(&other, "gpt-4o"), (None, PriceOrigin::Unknown), "a third-party server");
    let configured = ModelConfig { output_price: Some(3.0), ..ModelConfig::id("large") };
    let (full, origin) = catalog::priced(&acme(), configured, &table);
    assert_eq!((full.input_price, full.output_price), (None, Some(3.0)), "prices belong together");
    assert_eq!(origin, PriceOrigin::Configured);
}

proptest! {
    /// The billed price equals the imported one, to the nano-dollar.
    #[test]
    fn priced_preserves_imported_prices_exactly(
        input in 0..=ModelPrice::MAX_TOKEN_PRICE,
        cached: Option<u32>,
        unit in 0..=ModelPrice::MAX_UNIT_PRICE,
    ) {
        let cached = cached.map(|nanos| u64::from(nanos).min(ModelPrice::MAX_TOKEN_PRICE));
        let price = ModelPrice { cached_nanos: cached, unit_nanos: Some(unit), ..tokens(input, input) };
        let table = PriceTable { version: 1, prices: BTreeMap::from([("acme/m".to_owned(), price)]) };
        let (full, _) = catalog::priced(&acme(), ModelConfig::id("m"), &table);
        let prices = full.prices().unwrap().unwrap();
        prop_assert_eq!(prices.input_nanos_per_token, input);
        prop_assert_eq!(prices.output_nanos_per_token, input);
        prop_assert_eq!(prices.cached_nanos_per_token, cached.unwrap_or(input));
        prop_assert_eq!(full.unit_price_nanos().unwrap(), Some(unit));
    }

    #[test]
    fn read_prices_does_not_panic(text: String) {
        for format in [None, Some(PriceFormat::Csv), Some(PriceFormat::Json), Some(PriceFormat::Toml)] {
            let _ = read_prices(&text, format);
        }
    }
}
