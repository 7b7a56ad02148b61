//! Uploading skills.

use reqwest::Method;
use serde_json::json;

use super::scene::{Field, SKILLS, TWICE, archive, bundle, form, upload, words};
use crate::harness::parts::is_sent_in_parts;
use crate::harness::{TestServer, text};

#[tokio::test]
async fn uploaded_bundle_is_shown_as_a_skill() {
    let server = TestServer::start().await;
    let made = upload(&server.editor(), "double.skill", &bundle()).await.created();
    assert_eq!(made["name"], "Doubling");
    assert_eq!(made["description"], "All about Doubling.");
    assert_eq!((&made["functions"], &made["services"]), (&json!(["twice"]), &json!([])));
    assert_eq!((&made["visibility"], &made["usable_in"]), (&json!("tenant"), &json!("both")));
    assert_eq!(made["instructions"], "Do as Doubling does.");
    assert_eq!(made["function_details"][0]["parameters"]["required"], json!(["n"]));
    assert_eq!(made["permissions"], json!({"level": "owner", "edit": true, "share": true, "delete": true}));
    assert_eq!(made["files"][1], json!({"path": "twice.js", "size": TWICE.len()}));
    assert_eq!(made["versions"][0]["content_hash"], made["content_hash"]);
    assert_eq!(made["versions"][0]["filename"], "double.skill");

    let path = format!("{SKILLS}/{}", text(&made["id"]));
    assert_eq!(server.editor().get(&path).await.ok(), made);
    let seen = server.user().get(&path).await.ok();
    assert_eq!(seen["instructions"], made["instructions"]);
    assert!(seen["files"].is_null() && seen["versions"].is_null(), "{seen}");
    assert_eq!(seen["permissions"]["level"], "viewer");
    let bytes = server.editor().get(&format!("{path}/bundle")).await;
    assert_eq!(bytes.expect(200).body, bundle());
    is_sent_in_parts(&server.editor(), &format!("{path}/bundle"), &bundle()).await;
    server.user().get(&format!("{path}/bundle")).await.problem(403, "not_allowed");
    let other = format!("{path}/bundle?content_hash=0");
    server.editor().get(&other).await.not_found();

    let server = server.restart().await;
    assert_eq!(server.editor().get(&path).await.ok(), made);
}

#[tokio::test]
async fn upload_accepts_a_single_file() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let made = upload(&editor, "SKILL.md", words("Manners").as_bytes()).await.created();
    assert_eq!((&made["name"], &made["functions"]), (&json!("Manners"), &json!([])));
    let script =
        format!("const skill = {{ name: \"Sums\", description: \"Adds.\", usable_in: \"chat\" }};{TWICE}");
    let made = upload(&editor, "sums.js", script.as_bytes()).await.created();
    assert_eq!((&made["name"], &made["usable_in"]), (&json!("Sums"), &json!("chat")));
    assert_eq!(made["functions"], json!(["twice"]));
}

#[tokio::test]
async fn upload_fields_take_precedence_over_the_bundle() {
    let server = TestServer::start().await;
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "editor"}]);
    let grants = grants.to_string();
    let (words, fields) = (
        words("Old"),
        [
            ("name", " New "),
            ("description", "Other words."),
            ("usable_in", "workflow"),
            ("visibility", "shared"),
            ("grants", grants.as_str()),
        ],
    );
    let mut all = vec![Field::File("SKILL.md", words.as_bytes())];
    all.extend(fields.iter().map(|(name, text)| Field::Text(name, text)));
    let made = form(&server.editor(), Method::POST, SKILLS, &all).await.created();
    assert_eq!((&made["name"], &made["description"]), (&json!("New"), &json!("Other words.")));
    assert_eq!((&made["usable_in"], &made["visibility"]), (&json!("workflow"), &json!("shared")));
    assert_eq!(made["grants"][0]["level"], "editor");
    let seen = server.user().get(&format!("{SKILLS}/{}", text(&made["id"]))).await.ok();
    assert_eq!(seen["permissions"]["level"], "editor");
}

#[tokio::test]
async fn upload_of_the_same_bundle_returns_the_same_skill() {
    let server = TestServer::start().await;
    let bundle = bundle();
    let uploads = (0..8).map(|_| {
        let (editor, bundle) = (server.editor(), bundle.clone());
        async move { upload(&editor, "double.skill", &bundle).await }
    });
    let answers = futures::future::join_all(uploads).await;
    let created = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(created, 1, "{answers:?}");
    let ids: std::collections::HashSet<_> = answers.iter().map(|answer| text(&answer.json()["id"])).collect();
    assert_eq!(ids.len(), 1, "{answers:?}");
    // The content of the bundle counts, not its name.
    let again = upload(&server.editor(), "other.zip", &bundle).await.ok();
    assert!(ids.contains(&text(&again["id"])));
    let others = upload(&server.admin(), "double.skill", &bundle).await.created();
    assert!(!ids.contains(&text(&others["id"])), "each user has their own skill");
}

#[tokio::test]
async fn upload_reports_all_faults_of_a_bundle_at_once() {
    let server = TestServer::start().await;
    let before = server.stored().await;
    let bad = archive(&[("SKILL.md", "---\nname: X\nusable_in: nowhere\n---\n"), ("../out.txt", "x")]);
    let faults = upload(&server.editor(), "bad.skill", &bad).await.faults();
    assert!(faults.iter().any(|fault| fault.starts_with("body.file")), "{faults:?}");

    let no_schema =
        "const functions = { f: { description: \"x\", parameters: { type: \"text\" }, run() {} } };";
    let broken = "const functions = {";
    let scripts = archive(&[("SKILL.md", &words("Bad")), ("a.js", no_schema), ("b.js", broken)]);
    let faults = upload(&server.editor(), "bad.skill", &scripts).await.faults();
    assert!(faults.contains(&"body.file.a.js".to_owned()), "{faults:?}");
    assert!(faults.contains(&"body.file.b.js".to_owned()), "{faults:?}");

    let loops = "for (;;) {}";
    let answer = upload(&server.editor(), "loops.js", loops.as_bytes()).await;
    assert_eq!(answer.faults().len(), 1, "{answer:?}");
    upload(&server.editor(), "x.skill", b"no archive").await.faults();
    upload(&server.editor(), "x.exe", b"MZ").await.faults();
    assert_eq!(server.stored().await, before, "something was stored");
}

#[tokio::test]
async fn upload_refuses_faulty_forms() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let before = server.stored().await;
    let post = |fields: Vec<Field<'static>>| {
        let editor = editor.clone();
        async move { form(&editor, Method::POST, SKILLS, &fields).await }
    };
    const WORDS: &[u8] = b"---\nname: A\ndescription: B\n---\nC";
    assert_eq!(post(vec![]).await.faults(), ["body.file"]);
    let two = vec![Field::File("SKILL.md", WORDS), Field::File("SKILL.md", WORDS)];
    assert_eq!(post(two).await.faults(), ["body.file"]);
    let id = "01890000-0000-7000-8000-000000000000";
    let draft = [Field::Text("draft_job_id", id), Field::Text("draft_assistant_id", id)];
    let mut both = vec![Field::File("SKILL.md", WORDS)];
    both.extend(draft);
    assert_eq!(post(both).await.faults(), ["body.file"]);
    assert_eq!(post(vec![Field::Text("draft_job_id", id)]).await.faults(), ["body.draft_assistant_id"]);
    let many = vec![
        Field::File("SKILL.md", WORDS),
        Field::Text("name", " "),
        Field::Text("usable_in", "nowhere"),
        Field::Text("grants", "[{"),
        Field::Text("unheard", "of"),
    ];
    let faults = post(many).await.faults();
    for field in ["grants", "usable_in", "unheard"] {
        assert!(faults.contains(&format!("body.{field}")), "{faults:?}");
    }
    let strangers =
        json!([{"principal": {"kind": "user", "id": server.stranger_person().id}, "level": "viewer"}]);
    let fields = [Field::File("SKILL.md", WORDS), Field::Text("grants", &strangers.to_string())];
    assert_eq!(form(&editor, Method::POST, SKILLS, &fields).await.faults(), ["body.grants.0"]);
    let large = vec![b'x'; (5 << 20) + 1];
    upload(&editor, "SKILL.md", &large).await.problem(413, "too_large");
    assert_eq!(server.stored().await, before, "something was stored");
}
