//! The document's description of problems.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

use super::generated;

/// The members that the code sets beyond those of all problems.
fn members_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            members_in(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&entry).expect("a file");
            let squeezed: String = text.split_whitespace().collect();
            let names = squeezed.split(".extra(\"").skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(names.map(str::to_owned));
        }
    }
}

#[test]
fn problems_describe_every_member_that_the_code_sets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::from(["provider_code".to_owned()]);
    for folder in ["src", "domain/src", "actors"] {
        members_in(&root.join(folder), &mut found);
    }
    let document = generated();
    let members = |schema: &str| -> BTreeSet<String> {
        let schema = &document["components"]["schemas"][schema]["properties"];
        schema.as_object().expect("properties").keys().cloned().collect()
    };
    let common =
        BTreeSet::from(["type", "title", "status", "code", "detail", "request_id"].map(str::to_owned));
    let documented: BTreeSet<_> = &members("Problem") - &common;
    assert_eq!(found, documented);
    let only_invalid = BTreeSet::from(["errors".to_owned()]);
    assert!((&(&members("ValidationError") - &common) - &only_invalid).is_subset(&documented));
}

#[test]
fn problem_codes_are_an_enumeration() {
    let document = generated();
    let schemas = &document["components"]["schemas"];
    let codes = |schema: &str| -> BTreeSet<String> {
        let codes = schemas[schema]["enum"].as_array().expect("codes").iter();
        codes.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let all: BTreeSet<_> = domain::Code::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(codes("ErrorCode"), all);
    assert_eq!(schemas["Problem"]["properties"]["code"]["$ref"], "#/components/schemas/ErrorCode");
    assert!(codes("ValidationErrorCode").is_subset(&all));
    assert!(codes("PartnerErrorCode").contains("invalid_api_key"));
    let mapping = schemas["ProblemByCode"]["discriminator"]["mapping"].as_object().expect("a mapping");
    assert_eq!(mapping.keys().cloned().collect::<BTreeSet<_>>(), all);
    for (code, place) in mapping {
        let place = place.as_str().expect("a place").trim_start_matches('#');
        let own = &document.pointer(place).expect("a schema")["properties"]["code"]["enum"];
        assert!(own.as_array().expect("codes").iter().any(|it| it == code), "{code}");
    }
}
