//! Laws of updates, checked with random edits and versions.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

use super::scene::{Shop, install, path, put, update};
use crate::crash::setting;
use crate::harness::Client;

const PACKAGE: &str = "acme/chance";
const FIELDS: [&str; 5] =
    ["description", "system_prompt", "category", "conversation_starters", "model_parameters"];

/// One of few values of a field, so that the two sides often agree, or `None`, which leaves the field out.
fn value(field: &str, dice: &mut StdRng) -> Option<Value> {
    let chosen: u32 = dice.random_range(0..4);
    match (chosen, field) {
        (3, _) => None,
        (n, "conversation_starters") => Some(json!([format!("Question {n}?")])),
        (n, "model_parameters") => Some(json!({"top_p": f64::from(n) / 4.0})),
        (n, field) => Some(json!(format!("{field} {n}"))),
    }
}

fn chance(dice: &mut StdRng) -> Map<String, Value> {
    FIELDS.iter().filter_map(|field| Some(((*field).to_owned(), value(field, dice)?))).collect()
}

/// The default of a field.
fn usual(field: &str) -> Value {
    match field {
        "category" => Value::Null,
        "conversation_starters" => json!([]),
        "model_parameters" => json!({}),
        _ => json!(""),
    }
}

fn package(version: u32, fields: &Map<String, Value>) -> Vec<(String, String)> {
    let fields: String =
        fields.keys().map(|name| format!("{name} = {{ \"$json\" = \"{name}.json\" }}\n")).collect();
    let manifest = format!(
        "id = \"{PACKAGE}\"\nversion = \"{version}.0.0\"\nkind = \"assistant\"\nname = \"Chance\"\ndescription = \"Left to chance.\"\n\
         [[resources]]\nkey = \"it\"\ntype = \"assistant\"\n[resources.fields]\nname = \"Chance\"\n{fields}"
    );
    vec![("package.toml".to_owned(), manifest)]
}

fn at(side: &Map<String, Value>, field: &str) -> Value {
    side.get(field).cloned().unwrap_or_else(|| usual(field))
}

async fn read(client: &Client, path: &str) -> Map<String, Value> {
    let shown = client.get(path).await.ok();
    FIELDS.iter().map(|field| ((*field).to_owned(), shown[*field].clone())).collect()
}

#[tokio::test]
async fn update_never_loses_edits_and_applies_all_other_changes() {
    let rounds = setting("UNDERSTUDY_UPDATES", 12);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    println!("{rounds} rounds; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    let write = |version: u32, fields: &Map<String, Value>| {
        let mut files = package(version, fields);
        files.extend(fields.iter().map(|(name, value)| (format!("{name}.json"), value.to_string())));
        put(shop.folder.path(), &format!("v{version}"), &files);
    };
    let mut base = chance(&mut dice);
    write(1, &base);
    let made = install(&editor, PACKAGE, json!({})).await;
    let it = path(&made, "it");
    for round in 0..rounds {
        let edits: Map<String, Value> =
            chance(&mut dice).into_iter().filter(|_| dice.random_bool(0.5)).collect();
        if round % 3 > 0 {
            editor.patch(&it, Value::Object(edits)).await.ok();
        }
        let (ours, theirs) = (read(&editor, &it).await, chance(&mut dice));
        let version = u32::try_from(round).expect("few") + 2;
        write(version, &theirs);
        let how = ["keep", "take"][dice.random_range(0..2)];
        update(&editor, PACKAGE, &format!("on_conflict={how}")).await.ok();
        let now = read(&editor, &it).await;
        for field in FIELDS {
            let (was, own, new) = (at(&base, field), ours[field].clone(), at(&theirs, field));
            // A field that neither version names does not belong to the package.
            let named = base.contains_key(field) || theirs.contains_key(field);
            let meant = match (own == was, new == was) {
                _ if !named => own,
                (true, _) => new,
                (false, true) => own,
                (false, false) if how == "take" => new,
                (false, false) => own,
            };
            assert_eq!(now[field], meant, "seed {seed}, round {round}, {field}, {how}");
        }
        base = theirs;
    }
    shop.server.stored().await;
}
