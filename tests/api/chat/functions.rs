//! Functions that models may be given to call, and favourite models.

use reqwest::Method;
use serde_json::{Value, json};

use crate::api::skills::scene::{Field, SKILLS, bundle, form};
use crate::api::tenant_admin::with_provider;
use crate::harness::{Client, TestServer, text};

async fn functions(client: &Client) -> Vec<Value> {
    client.get("/api/chat/functions").await.ok()["items"].as_array().expect("items").clone()
}

fn names(functions: &[Value]) -> Vec<String> {
    functions.iter().map(|function| text(&function["name"])).collect()
}

#[tokio::test]
async fn functions_are_listed_for_users_who_may_use_them() {
    let server = TestServer::start().await;
    let own = functions(&server.user()).await;
    assert_eq!(names(&own), ["current_time", "count_text"]);
    assert_eq!((&own[1]["source"], &own[1]["parameters"]["type"]), (&json!("built_in"), &json!("object")));
    let fields = [Field::File("double.skill", &bundle()), Field::Text("visibility", "private")];
    let made = form(&server.editor(), Method::POST, SKILLS, &fields).await.created();
    let all = functions(&server.editor()).await;
    assert_eq!(names(&all), ["current_time", "count_text", "twice"]);
    assert_eq!((&all[2]["source"], &all[2]["skill_id"]), (&json!("skill"), &made["id"]));
    assert_eq!(all[2]["parameters"]["required"], json!(["n"]));
    for other in [server.user(), server.stranger()] {
        assert_eq!(functions(&other).await.len(), 2, "it was not shared");
    }
    // Shared with the whole tenant, it is visible to other users; through a token, only with the scope.
    let path = format!("{SKILLS}/{}", text(&made["id"]));
    form(&server.editor(), Method::PUT, &path, &[Field::Text("visibility", "tenant")]).await.ok();
    assert_eq!(functions(&server.user()).await.len(), 3);
    assert_eq!(functions(&server.token(&["skills:read"]).await).await.len(), 3);
    assert_eq!(functions(&server.token(&["llm:use"]).await).await.len(), 2);
    let slash = server.user().get("/api/chat/functions/").await.ok();
    assert_eq!(slash["items"].as_array().expect("items").len(), 3);
}

#[tokio::test]
async fn models_can_be_marked_as_favourites() {
    let (server, _provider) = with_provider().await;
    let (user, preferences) = (server.user(), "/api/users/preferences");
    let marked = json!({"favourite_models": ["other", "builtin/scribe", "fake/other"]});
    let kept = user.patch(preferences, marked).await.ok();
    assert_eq!(kept["favourite_models"], json!(["fake/other", "builtin/scribe"]));
    let listed = user.get("/api/chat/models").await.ok();
    let favourites: Vec<_> =
        listed["items"].as_array().expect("items").iter().filter(|m| m["is_favourite"] == true).collect();
    assert_eq!(favourites.len(), 2);
    assert!(!server.editor().get("/api/chat/models").await.text().contains("\"is_favourite\":true"));
    let wrong = json!({"favourite_models": ["fake/talk", "none/such"]});
    assert_eq!(user.patch(preferences, wrong).await.faults(), ["body.favourite_models.1"]);
    let many = json!({"favourite_models": vec!["fake/talk"; 201]});
    assert_eq!(user.patch(preferences, many).await.faults(), ["body.favourite_models"]);
    assert_eq!(user.get(preferences).await.ok()["favourite_models"], kept["favourite_models"]);
    let server = server.restart().await;
    let cleared = server.user().patch(preferences, json!({"favourite_models": null})).await.ok();
    assert_eq!(cleared["favourite_models"], json!([]));
}

#[tokio::test]
async fn openai_interface_lists_the_same_models_below_an_assistant() {
    let (server, _provider) = with_provider().await;
    let editor = server.editor();
    let ada = text(&editor.post("/api/assistants", json!({"name": "Ada"})).await.created()["id"]);
    let base = "/api/chat/partner_compatible";
    let all = editor.get(&format!("{base}/models")).await.ok();
    let talk = json!({"id": "fake/talk", "object": "model", "created": 0, "owned_by": "fake"});
    assert_eq!((&all["object"], &all["data"][0]), (&json!("list"), &talk));
    assert!(all["data"].as_array().expect("data").iter().any(|model| model["id"] == "fake/embed"));
    for path in ["v1/models".to_owned(), format!("{ada}/models"), format!("{ada}/v1/models")] {
        assert_eq!(editor.get(&format!("{base}/{path}")).await.ok(), all, "{path}");
        for id in ["fake/talk", "fake%2Ftalk", "talk"] {
            assert_eq!(editor.get(&format!("{base}/{path}/{id}")).await.ok(), talk, "{path}/{id}");
        }
    }
    let refused = server.stranger().get(&format!("{base}/{ada}/v1/models")).await;
    assert_eq!(refused.expect(404).json()["error"]["code"], "not_found");
}
