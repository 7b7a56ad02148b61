//! Updates apply the changes of the new version and keep local changes.

use serde_json::{Value, json};

use super::scene::{
    DESK, Desk, Shop, desk, id, install, installed, outcomes, papers, path, plain, resource, update,
};
use crate::api::knowledge_bases::scene::upload;
use crate::harness::text;

fn second() -> Desk {
    Desk {
        prompt: "Be brief and kind.".to_owned(),
        description: "Answers at every desk.".to_owned(),
        starters: vec!["When?".to_owned(), "Where?".to_owned()],
        answer: 43,
        papers: [("hours.md", "We are open from ten to six."), ("parking.md", "Park behind the office.")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .to_vec(),
        cron: "30 6 * * *".to_owned(),
        ..Desk::default()
    }
}

#[tokio::test]
async fn update_replaces_untouched_fields() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let made = install(&editor, DESK, json!({"visibility": "tenant"})).await;
    papers(&editor, &id(&made, "papers")).await;
    shop.server.settled().await;
    shop.put("desk-2", &desk("1.1.0", &second()));
    assert_eq!(installed(&editor, DESK).await["update_available"], "1.1.0");

    let would = update(&editor, DESK, "dry_run=true").await.ok();
    let before = shop.server.stored().await;
    assert_eq!((&would["dry_run"], &would["to_version"]), (&json!(true), &json!("1.1.0")));
    assert_eq!(editor.get(&path(&made, "clerk")).await.ok()["system_prompt"], "Be brief.");
    assert_eq!(shop.server.stored().await, before);

    let at = super::scene::at(DESK, "update");
    assert_eq!(editor.post(&at, json!({"dry_run": true})).await.ok(), would, "as a body");
    assert_eq!(editor.post(&format!("{at}?dry_run=true"), json!({"dry_run": true})).await.ok(), would);
    let differs = editor.post(&format!("{at}?dry_run=true"), json!({"dry_run": false})).await;
    assert_eq!(differs.faults(), ["body.dry_run"]);
    assert_eq!(editor.post(&at, json!({"dryrun": true})).await.faults(), ["body.dryrun"]);
    assert_eq!(update(&editor, DESK, "dryrun=true").await.faults(), ["query.dryrun"]);
    assert_eq!(shop.server.stored().await, before);

    let told = update(&editor, DESK, "").await.ok();
    assert_eq!((&told["from_version"], &told["conflicts"]), (&json!("1.0.0"), &json!(0)));
    assert_eq!(told["resources"], would["resources"], "the preview reported it");
    assert_eq!(
        outcomes(&told, "clerk"),
        json!({"conversation_starters": "taken", "description": "taken", "system_prompt": "taken"})
    );
    assert_eq!(outcomes(&told, "counting"), json!({"content": "taken"}));
    assert_eq!(
        outcomes(&told, "papers"),
        json!({"documents/hours.md": "taken", "documents/parking.md": "taken", "documents/returns.md": "taken"})
    );
    assert_eq!(outcomes(&told, "report"), json!({"trigger": "taken"}));
    let clerk = editor.get(&path(&made, "clerk")).await.ok();
    assert_eq!(
        (&clerk["system_prompt"], &clerk["visibility"]),
        (&json!("Be brief and kind."), &json!("tenant"))
    );
    assert_eq!((&clerk["id"], &clerk["catalog"]["version"]), (&json!(id(&made, "clerk")), &json!("1.1.0")));
    assert_eq!(papers(&editor, &id(&made, "papers")).await, ["hours", "parking"]);
    let call = format!("/api/assistants/{}/functions/answer", id(&made, "clerk"));
    assert_eq!(editor.post(&call, json!({"arguments": {}})).await.ok()["result"]["answer"], 43);

    let shown = installed(&editor, DESK).await;
    assert_eq!((&shown["package_version"], &shown["update_available"]), (&json!("1.1.0"), &Value::Null));
    for key in ["clerk", "counting", "papers", "report"] {
        assert_eq!(resource(&shown, key)["state"], "present", "{key}");
    }
    // Repeating the update changes nothing.
    let version = editor.get(&path(&made, "clerk")).await.ok()["version"].clone();
    let again = update(&editor, DESK, "on_conflict=take").await.ok();
    assert!(
        again["resources"].as_array().expect("all").iter().all(|one| one["outcome"] == "unchanged"),
        "{again}"
    );
    assert_eq!(editor.get(&path(&made, "clerk")).await.ok()["version"], version);
    assert_eq!(installed(&editor, DESK).await["updated_at"], shown["updated_at"]);
    update(&editor, DESK, "version=1.0.0").await.problem(409, "conflict");
}

#[tokio::test]
async fn update_keeps_local_changes_and_reports_conflicts() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let made = install(&editor, DESK, json!({})).await;
    let base = id(&made, "papers");
    papers(&editor, &base).await;
    let edits = json!({"system_prompt": "Be long.", "category": "Mine", "tools": ["current_time"]});
    editor.patch(&path(&made, "clerk"), edits).await.ok();
    upload(&editor, &base, "own.md", "Our own paper.").await.created();
    shop.server.settled().await;
    shop.put("desk-2", &desk("1.1.0", &second()));

    let before = shop.server.stored().await;
    let refused = update(&editor, DESK, "on_conflict=fail").await.problem(409, "update_conflict");
    assert_eq!(refused["conflicts"], json!([{"resource": "clerk", "field": "system_prompt"}]));
    assert_eq!(shop.server.stored().await, before);
    assert_eq!(editor.get(&path(&made, "clerk")).await.ok()["description"], "Answers at the desk.");

    let told = update(&editor, DESK, "").await.ok();
    assert_eq!(told["conflicts"], 1);
    assert_eq!(
        outcomes(&told, "clerk"),
        json!({"category": "kept", "conversation_starters": "taken", "description": "taken",
            "system_prompt": "conflict_kept"})
    );
    let fields = resource(&told, "clerk")["fields"].as_array().expect("fields").clone();
    let prompt = fields.iter().find(|field| field["field"] == "system_prompt").expect("the prompt");
    assert_eq!(
        (&prompt["base"], &prompt["ours"], &prompt["theirs"]),
        (&json!("Be brief."), &json!("Be long."), &json!("Be brief and kind."))
    );
    let clerk = editor.get(&path(&made, "clerk")).await.ok();
    assert_eq!((&clerk["system_prompt"], &clerk["category"]), (&json!("Be long."), &json!("Mine")));
    // Fields that the package does not name stay unchanged.
    assert_eq!(clerk["tools"], json!(["current_time"]));
    assert_eq!(papers(&editor, &base).await, ["hours", "own.md", "parking"]);
    assert_eq!(
        resource(&installed(&editor, DESK).await, "clerk")["edited"],
        json!(["category", "system_prompt"])
    );

    // A value that was kept once counts as an edit in the next version and is no conflict.
    shop.put("desk-3", &desk("1.2.0", &Desk { description: "Desks.".to_owned(), ..second() }));
    let told = update(&editor, DESK, "on_conflict=take").await.ok();
    assert_eq!(
        outcomes(&told, "clerk"),
        json!({"category": "kept", "description": "taken", "system_prompt": "kept"})
    );
    shop.put("desk-4", &desk("1.3.0", &Desk { prompt: "Be silent.".to_owned(), ..second() }));
    let told = update(&editor, DESK, "on_conflict=take").await.ok();
    assert_eq!(outcomes(&told, "clerk")["system_prompt"], "conflict_taken");
    assert_eq!(editor.get(&path(&made, "clerk")).await.ok()["system_prompt"], "Be silent.");
}

#[tokio::test]
async fn update_adds_and_releases_resources() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let made = install(&editor, DESK, json!({})).await;
    papers(&editor, &id(&made, "papers")).await;
    let more = "[[resources]]\nkey = \"night\"\ntype = \"assistant\"\n[resources.fields]\nname = \"Night clerk\"\n\
                skills = [{ \"$resource\" = \"counting\" }]\n";
    let version = Desk { with_automation: false, more: more.to_owned(), ..Desk::default() };
    shop.put("desk-2", &desk("2.0.0", &version));
    let told = update(&editor, DESK, "").await.ok();
    assert_eq!(resource(&told, "night")["outcome"], "added");
    assert_eq!(resource(&told, "report")["outcome"], "released");
    editor.get(&path(&made, "report")).await.ok();
    let shown = installed(&editor, DESK).await;
    let keys: Vec<_> =
        shown["resources"].as_array().expect("all").iter().map(|one| text(&one["key"])).collect();
    assert_eq!(keys, ["counting", "papers", "clerk", "night"]);
    let night = editor.get(&path(&shown, "night")).await.ok();
    assert_eq!(
        (&night["skills"], &night["visibility"]),
        (&json!([id(&made, "counting")]), &json!("private"))
    );

    // A resource that was deleted locally stays deleted until the package is installed again.
    editor.delete(&path(&shown, "night")).await.ok();
    shop.put("desk-3", &desk("2.1.0", &Desk { more: more.replace("Night clerk", "Owl"), ..version }));
    let told = update(&editor, DESK, "on_conflict=take").await.ok();
    assert_eq!(resource(&told, "night")["outcome"], "missing");
    let again = install(&editor, DESK, json!({})).await;
    assert_eq!(editor.get(&path(&again, "night")).await.ok()["name"], "Owl");
    shop.server.stored().await;
}

#[tokio::test]
async fn update_keeps_the_given_parameters() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    let version = |number: &str, more: &str| {
        let mut files = plain("acme/plain", number, &format!("[[parameters]]\nname = \"who\"\n{more}"));
        let field = "description = { \"$join\" = [\"For \", { \"$parameter\" = \"who\" }] }\n";
        files[0].1.push_str(field);
        files
    };
    shop.put("plain-1", &version("1.0.0", ""));
    let made = install(&editor, "acme/plain", json!({"parameters": {"who": "Ada"}})).await;
    shop.put("plain-2", &version("1.1.0", "[[parameters]]\nname = \"where\"\n"));
    assert_eq!(update(&editor, "acme/plain", "").await.faults(), ["body.parameters.where"]);
    update(&editor, "acme/plain", "parameters=%7B%22where%22%3A%22Bonn%22%7D").await.ok();
    assert_eq!(editor.get(&path(&made, "it")).await.ok()["description"], "For Ada");
    let both = "parameters=%7B%22who%22%3A%22Bob%22%7D";
    let told = update(&editor, "acme/plain", both).await.ok();
    assert_eq!(outcomes(&told, "it"), json!({"description": "taken"}));
    let shown = installed(&editor, "acme/plain").await;
    assert_eq!(shown["parameters"], json!({"who": "Bob", "where": "Bonn"}));
    // A parameter that the package no longer declares is dropped.
    shop.put("plain-3", &version("1.2.0", ""));
    update(&editor, "acme/plain", "").await.ok();
    assert_eq!(installed(&editor, "acme/plain").await["parameters"], json!({"who": "Bob"}));
    // Different content under the same version number is applied as well.
    std::fs::remove_dir_all(shop.folder.path().join("plain-3")).expect("removed");
    shop.put("plain-3", &version("1.2.0", "description = \"Whom it is for.\"\n"));
    let told = update(&editor, "acme/plain", "").await.ok();
    assert_eq!(resource(&told, "it")["outcome"], "unchanged");
    let known = editor.get("/api/catalog/packages/acme/plain").await.ok();
    assert_eq!(installed(&editor, "acme/plain").await["checksum"], known["checksum"]);
    update(&editor, "acme/other", "").await.not_found();
    update(&editor, "understudy/web-research", "").await.not_found();
}
