//! Installing packages: atomically, once, and again for missing resources.

use futures::future::join_all;
use serde_json::{Value, json};

use super::scene::{DESK, Desk, Shop, at, desk, id, install, installed, papers, path, plain, resource};
use crate::harness::text;

#[tokio::test]
async fn install_creates_all_resources_with_their_references() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let would = editor.post(&at(DESK, "validate"), json!({"parameters": {"team": "Service"}})).await.ok();
    assert_eq!((&would["ok"], &would["problems"]), (&json!(true), &json!([])));
    let keys: Vec<_> =
        would["resources"].as_array().expect("a list").iter().map(|made| text(&made["key"])).collect();
    assert_eq!(keys, ["counting", "papers", "clerk", "report"]);
    assert_eq!(installed(&editor, DESK).await, Value::Null, "validation creates nothing");

    let body = json!({"parameters": {"team": "Service"}, "name": "Ours", "approve_services": ["web:*"]});
    let made = install(&editor, DESK, body).await;
    assert_eq!(made["owner"], shop.server.editor_person().id);
    assert_eq!(made["services_to_approve"], json!(["data"]));
    // A different name is an edit, which an update keeps.
    assert_eq!(resource(&made, "clerk")["edited"], json!(["name"]));
    assert_eq!(resource(&made, "papers")["state"], "present");

    let clerk = editor.get(&path(&made, "clerk")).await.ok();
    assert_eq!((&clerk["name"], &clerk["system_prompt"]), (&json!("Ours"), &json!("Be brief.")));
    assert_eq!(clerk["skills"], json!([id(&made, "counting")]));
    assert_eq!(clerk["knowledge_bases"], json!([id(&made, "papers")]));
    assert_eq!(clerk["approved_external_services"], json!(["web:*"]));
    assert_eq!(clerk["visibility"], "private");
    assert_eq!(
        (&clerk["catalog"]["publisher"], &clerk["catalog"]["version"]),
        (&json!("acme"), &json!("1.0.0"))
    );
    assert_eq!(clerk["catalog"]["listed"], false);
    let skill = editor.get(&path(&made, "counting")).await.ok();
    assert_eq!((&skill["functions"], &skill["visibility"]), (&json!(["answer"]), &json!("private")));
    let report = editor.get(&path(&made, "report")).await.ok();
    assert_eq!((&report["name"], &report["enabled"]), (&json!("Report for Service"), &json!(false)));
    assert_eq!(report["assistant_id"], clerk["id"]);
    assert_eq!(papers(&editor, &id(&made, "papers")).await, ["hours", "returns"]);
    let path = format!("/api/assistants/{}/functions/answer", text(&clerk["id"]));
    assert_eq!(editor.post(&path, json!({"arguments": {}})).await.ok()["result"]["answer"], 42);

    let audit = shop.server.admin().get("/api/tenant-admin/audit").await.ok();
    let lines = audit["items"].as_array().expect("lines").iter();
    let line = lines.clone().find(|line| line["action"] == "catalog.install").expect("a line");
    assert_eq!(line["target"], "package acme/desk");
    shop.server.stored().await;
}

#[tokio::test]
async fn install_reports_all_problems_and_creates_nothing() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let more = "[requires]\nunderstudy = \">=99\"\ncapabilities = [\"vision\", \"tools\"]\n[requires.packages]\n\"acme/other\" = \"^2\"\n\
                [[parameters]]\nname = \"level\"\ntype = \"integer\"\nminimum = 1\n[[parameters]]\nname = \"who\"\n";
    shop.put("needy", &plain("acme/needy", "1.0.0", more));
    let before = shop.server.stored().await;
    let told =
        editor.post(&at("acme/needy", "validate"), json!({"parameters": {"level": 0, "odd": 1}})).await.ok();
    assert_eq!(told["ok"], false);
    let problems: Vec<_> = told["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .map(|problem| format!("{} {}", text(&problem["code"]), problem["subject"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(
        problems,
        [
            "understudy_version >=99",
            "capability_missing vision",
            "package_missing acme/other",
            "invalid parameters.level",
            "invalid parameters.who",
            "invalid parameters.odd",
        ]
    );
    let refused =
        editor.post(&at("acme/needy", "install"), json!({"parameters": {"level": 0, "odd": 1}})).await;
    let refused = refused.problem(409, "requirements_missing");
    assert_eq!(refused["missing"].as_array().map(Vec::len), Some(3));
    // Faulty parameters are the caller's error.
    shop.put(
        "asking",
        &plain("acme/asking", "1.0.0", "[[parameters]]\nname = \"who\"\nchoices = [\"a\", \"b\"]\n"),
    );
    let missing = editor.post(&at("acme/asking", "install"), json!({})).await;
    assert_eq!(missing.faults(), ["body.parameters.who"]);
    let wrong =
        editor.post(&at("acme/asking", "install"), json!({"parameters": {"who": "c"}, "name": ""})).await;
    assert_eq!(wrong.faults(), ["body.name"]);
    let unknown = json!({"approve_services": ["web:example.org"], "model": "no/such"});
    assert_eq!(
        editor.post(&at(DESK, "install"), unknown.clone()).await.faults(),
        ["body.resources.clerk.model"]
    );
    let told = editor.post(&at(DESK, "validate"), unknown).await.ok();
    assert_eq!(told["problems"][0]["subject"], "resources.clerk.model");
    let unasked =
        editor.post(&at(DESK, "install"), json!({"approve_services": ["web:*", "web:example.org"]})).await;
    assert_eq!(unasked.faults(), ["body.approve_services.1"]);
    editor.post(&at("acme/nothing", "install"), json!({})).await.not_found();
    editor.post(&at(DESK, "install"), json!({"version": "9.9.9"})).await.not_found();
    assert_eq!(shop.server.stored().await, before, "a refused installation leaves nothing");
    assert!(shop.server.store().blobs().list().await.expect("a list").is_empty(), "not even files");
}

#[tokio::test]
async fn install_is_rolled_back_by_a_fault_in_the_last_resource() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    shop.put("desk", &desk("1.0.0", &Desk { cron: "99 7 * * *".to_owned(), ..Desk::default() }));
    let before = shop.server.stored().await;
    let told = editor.post(&at(DESK, "validate"), json!({})).await.ok();
    assert_eq!(told["problems"][0]["subject"], "resources.report.trigger.cron");
    let refused = editor.post(&at(DESK, "install"), json!({})).await;
    assert_eq!(refused.faults(), ["body.resources.report.trigger.cron"]);
    // A script with a syntax error is detected in the sandbox.
    let mut files = desk("1.0.0", &Desk::default());
    files.push(("skill/broken.js".to_owned(), "const functions = {".to_owned()));
    shop.put("desk", &files);
    let refused = editor.post(&at(DESK, "install"), json!({})).await;
    assert!(refused.faults()[0].starts_with("body.resources.counting.file"), "{refused:?}");
    assert_eq!(shop.server.stored().await, before);
    assert!(shop.server.store().blobs().list().await.expect("a list").is_empty());
}

#[tokio::test]
async fn concurrent_installs_create_one_installation() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let attempts = (0..6).map(|_| {
        let editor = editor.clone();
        async move { editor.post(&at(DESK, "install"), json!({})).await }
    });
    let answers = join_all(attempts).await;
    let made: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(made.len(), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.problem(409, "already_installed");
    }
    let list = editor.get("/api/assistants").await.ok();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    let told = editor.post(&at(DESK, "validate"), json!({})).await.ok();
    assert_eq!(told["problems"][0]["code"], "already_installed");
    papers(&editor, &id(&installed(&editor, DESK).await, "papers")).await;
    shop.server.stored().await;
}

#[tokio::test]
async fn install_recreates_missing_resources() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let made = install(&editor, DESK, json!({"parameters": {"team": "Service"}})).await;
    papers(&editor, &id(&made, "papers")).await;
    editor.patch(&path(&made, "clerk"), json!({"description": "Mine."})).await.ok();
    editor.delete(&path(&made, "report")).await.no_content();
    let shown = installed(&editor, DESK).await;
    assert_eq!(resource(&shown, "report")["state"], "missing");
    assert_eq!(resource(&shown, "clerk")["state"], "edited");
    assert_eq!(resource(&shown, "clerk")["edited"], json!(["description"]));
    // Only missing resources are created, with the earlier parameters.
    let again = install(&editor, DESK, json!({})).await;
    assert_eq!(again["id"], made["id"]);
    assert_eq!(id(&again, "clerk"), id(&made, "clerk"));
    assert_ne!(id(&again, "report"), id(&made, "report"));
    let report = editor.get(&path(&again, "report")).await.ok();
    assert_eq!(
        (&report["name"], &report["assistant_id"]),
        (&json!("Report for Service"), &json!(id(&made, "clerk")))
    );
    assert_eq!(resource(&again, "clerk")["edited"], json!(["description"]));
    // A different version requires an update.
    editor.delete(&path(&again, "report")).await.no_content();
    shop.put("desk-2", &desk("2.0.0", &Desk { prompt: "Revised.".to_owned(), ..Desk::default() }));
    editor.post(&at(DESK, "install"), json!({})).await.problem(409, "already_installed");

    // If no resource is left, any version can be installed.
    editor.delete(&path(&made, "clerk")).await.ok();
    assert_eq!(resource(&installed(&editor, DESK).await, "clerk")["state"], "binned");
    editor.delete(&format!("{}/permanent", path(&made, "clerk"))).await.ok();
    editor.delete(&path(&made, "counting")).await.no_content();
    editor.delete(&path(&made, "papers")).await.no_content();
    let shown = installed(&editor, DESK).await;
    for key in ["clerk", "counting", "papers", "report"] {
        assert_eq!(resource(&shown, key)["state"], "missing");
    }
    let again = install(&editor, DESK, json!({})).await;
    assert_eq!((&again["package_version"], &again["id"]), (&json!("2.0.0"), &made["id"]));
    assert_eq!(editor.get(&path(&again, "clerk")).await.ok()["system_prompt"], "Revised.");
    papers(&editor, &id(&again, "papers")).await;
    shop.server.stored().await;
}

#[tokio::test]
async fn install_uses_the_packages_that_are_required() {
    let shop = Shop::open().await;
    let (editor, admin) = (shop.server.editor(), shop.server.admin());
    let refused = editor.post(&at("understudy/research-assistant", "install"), json!({})).await;
    refused.problem(409, "requirements_missing");
    // Another user's installation satisfies a requirement if it is visible.
    let skill = install(&admin, "understudy/web-research", json!({})).await;
    editor
        .post(&at("understudy/research-assistant", "install"), json!({}))
        .await
        .problem(409, "requirements_missing");
    let form = [crate::api::skills::scene::Field::Text("visibility", "tenant")];
    crate::api::skills::scene::change(&admin, &id(&skill, "skill"), &form).await.ok();
    let body = json!({"approve_services": ["web:*"]});
    let made = install(&editor, "understudy/research-assistant", body.clone()).await;
    let assistant = editor.get(&path(&made, "assistant")).await.ok();
    assert_eq!(assistant["skills"], json!([id(&skill, "skill")]));
    assert_eq!(assistant["approved_external_services"], json!(["web:*"]));
    // The user's own installation takes precedence over those of others.
    let own = install(&admin, "understudy/research-assistant", body).await;
    assert_eq!(admin.get(&path(&own, "assistant")).await.ok()["skills"], json!([id(&skill, "skill")]));
}
