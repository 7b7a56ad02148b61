//! Media types of files are set by clients and sent as a header with each download.

use serde_json::{Value, json};
use storage::records::Message;
use uuid::Uuid;

use crate::api::people::company::tenant;
use crate::api::streams::reading::{conversation, server};
use crate::harness::text;

const BAD: [&str; 4] = ["text/plain\r\nX-Injected: yes", "text", "te xt/plain", "text/"];

fn with_file(media_type: &str) -> Value {
    let file = json!({"type": "file", "url": "data:text/plain;base64,QUJD", "mediaType": media_type,
        "filename": "a.txt"});
    json!({"stream": false, "messages": [{"role": "user", "parts": [{"type": "text", "text": "Look."}, file]}]})
}

#[tokio::test]
async fn media_types_are_validated_in_every_request() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let ask = format!("/api/conversations/{home}/completion");
    let payload = format!("/api/conversations/{home}/payload");
    for bad in BAD {
        let refused = user.post(&ask, with_file(bad)).await.faults();
        assert_eq!(refused, ["body.messages.0.parts.1.mediaType"], "{bad:?}");
        let blob = "0".repeat(64);
        let attachment = json!({"blob_id": blob, "filename": "a", "media_type": bad, "size": 3});
        let part = json!({"type": "file", "blob_id": blob, "media_type": bad, "filename": null});
        let messages = json!([{"role": "user", "parts": [part], "attachments": [attachment]}]);
        let refused = user.put(&payload, json!({"messages": messages})).await.faults();
        let places = ["body.messages.0.attachments.0.media_type", "body.messages.0.parts.0.media_type"];
        assert_eq!(refused, places, "{bad:?}");
        let files = json!([{"filename": "a.txt", "media_type": bad, "data": "QUJD"}]);
        let chat = json!({"messages": [{"role": "user", "content": "Look."}], "attachments": files});
        let refused = user.post("/api/chat/completion", chat).await.faults();
        assert_eq!(refused, ["body.attachments.0.media_type"], "{bad:?}");
    }
    user.post(&ask, with_file("text/markdown; charset=utf-8")).await.ok();
}

#[tokio::test]
async fn files_with_an_invalid_stored_media_type_can_be_downloaded() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    user.post(&format!("/api/conversations/{home}/completion"), with_file("text/plain")).await.ok();
    let path = format!("/api/conversations/{home}");
    let message = user.get(&path).await.ok()["messages"][0].clone();
    let blob = text(&message["attachments"][0]["blob_id"]);
    let id: (Uuid, Uuid) = (home.parse().expect("an id"), text(&message["id"]).parse().expect("an id"));
    let tenant = tenant(&server);
    for stored in BAD {
        let spoil = server.store().run::<_, storage::Error>(move |tx| {
            let mut row = tx.require::<Message>(tenant, &id)?;
            row.attachments[0].media_type = stored.to_owned();
            tx.update_message(tenant, row).map(drop)
        });
        spoil.await.expect("it is stored");
        let file = user.get(&format!("{path}/files/{blob}")).await;
        assert_eq!(file.header("content-type"), Some("application/octet-stream"), "{stored:?}");
        assert_eq!(
            (file.header("x-injected"), file.expect(200).text()),
            (None, "ABC".to_owned()),
            "{stored:?}"
        );
    }
}
