use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use super::{SPEECH, bills, with_impatience, with_provider};
use crate::harness::fake_audio::KEY;
use crate::harness::{Client, TestServer, hidden, until};

const TEXT: &str = "High tide at the harbour is at noon.";

#[tokio::test]
async fn speech_with_the_built_in_voice_works_by_post_and_get() {
    let server = TestServer::start().await;
    let user = server.user();
    let spoken = user.post(SPEECH, json!({"input": TEXT})).await;
    spoken.expect(200);
    assert_eq!(spoken.header("content-type"), Some("audio/wav"));
    let wav = spoken.body;
    assert_eq!(&wav[..4], b"RIFF");
    assert_eq!(u32::from_le_bytes(wav[4..8].try_into().unwrap()) as usize + 8, wav.len());
    let body = json!({"input": TEXT});
    let got = Client::send(user.request(Method::GET, SPEECH).json(&body)).await;
    assert!(got.body == wav, "GET with a body says the same");
    let query = format!("{SPEECH}?input={}&voice=ada&speed=1&response_format=wav", TEXT.replace(' ', "+"));
    assert!(user.get(&query).await.body == wav, "so does GET with a query");
    let pcm = user.post(SPEECH, json!({"input": TEXT, "response_format": "pcm"})).await;
    assert_eq!(pcm.header("content-type"), Some("audio/pcm"));
    assert!(pcm.body == wav[44..44 + pcm.body.len()]);
    let other = user.post(SPEECH, json!({"input": TEXT, "voice": "ben"})).await;
    assert!(other.expect(200).body != wav);
    let bills = bills(&server);
    assert_eq!(bills.len(), 5);
    for bill in bills {
        let (kind, model) = (bill.kind.as_str(), bill.model.as_str());
        assert_eq!((kind, model, bill.quantity), ("speech", "builtin/voice", TEXT.len() as u64));
        assert_eq!((bill.cost_nanos, bill.user.to_string()), (0, server.user_person().id.clone()));
    }
}

#[tokio::test]
async fn speech_reports_faults_and_bills_nothing() {
    let server = TestServer::start().await;
    let user = server.user();
    for (body, places) in [
        (json!({}), vec!["body.input"]),
        (json!({"input": " \n"}), vec!["body.input"]),
        (json!({"input": "x".repeat(4_097)}), vec!["body.input"]),
        (json!({"input": "x", "speed": 0.24}), vec!["body.speed"]),
        (json!({"input": "x", "speed": 4.01, "voice": ""}), vec!["body.speed", "body.voice"]),
        (
            json!({"input": "x", "voice": "no-such-voice", "response_format": "mp3"}),
            vec!["body.response_format", "body.voice"],
        ),
        (json!({"input": "x", "response_format": "midi"}), vec!["body.response_format"]),
        (json!({"input": "x", "pitch": 2}), vec!["body.pitch"]),
    ] {
        assert_eq!(user.post(SPEECH, body.clone()).await.faults(), places, "{body}");
    }
    let told = user
        .post(SPEECH, json!({"input": "x", "voice": "no-such-voice", "response_format": "mp3"}))
        .await
        .text();
    assert!(told.contains("wav, pcm") && told.contains("ada, ben, kit, rook"), "{told}");
    assert_eq!(user.get(&format!("{SPEECH}?speed=9")).await.faults(), ["query.input", "query.speed"]);
    assert_eq!(user.get(SPEECH).await.faults(), ["body.input"]);
    let unknown = json!({"input": "x", "model": "builtin/scribe"});
    user.post(SPEECH, unknown).await.problem(404, "model_not_found");
    assert_eq!(bills(&server).len(), 0);
    // The longest input that is accepted, at the highest speed.
    let longest = json!({"input": "é".repeat(4_096), "speed": 4, "response_format": "pcm"});
    user.post(SPEECH, longest).await.expect(200);
    assert_eq!(bills(&server)[0].quantity, 4_096);
}

#[tokio::test]
async fn speech_requires_its_scope_and_no_role() {
    let server = TestServer::start().await;
    let body = json!({"input": "x"});
    server.anonymous().post(SPEECH, body.clone()).await.problem(401, "credentials_missing");
    server.anonymous().get(&format!("{SPEECH}?input=x")).await.problem(401, "credentials_missing");
    for client in [
        server.admin(),
        server.editor(),
        server.user(),
        server.stranger(),
        server.token(&["media:use"]).await,
    ] {
        client.post(SPEECH, body.clone()).await.expect(200);
    }
    let llm = server.token(&["llm:use"]).await;
    llm.post(SPEECH, body.clone()).await.problem(403, "scope_missing");
    llm.get(&format!("{SPEECH}?input=x")).await.problem(403, "scope_missing");
    let models = llm.get("/api/audio/speech/models").await.ok();
    assert_eq!(models["items"][0]["id"], "builtin/voice");
    assert_eq!(models["items"][0]["formats"], json!(["wav", "pcm"]));
    assert_eq!(models["items"][0]["price_unit"], "million_characters");
    assert_eq!(models["items"][0]["voices"], json!(["ada", "ben", "kit", "rook"]));
    assert!(models["items"][0]["info_tags"].as_array().unwrap().contains(&json!("built-in")));
    // The stranger's request is billed to the stranger's tenant.
    assert_eq!(bills(&server).len(), 4);
}

#[tokio::test]
async fn speech_of_a_provider_supports_every_format_and_bills_per_character() {
    let (server, provider) = with_provider(&["speech"]).await;
    let user = server.user();
    let models = user.get("/api/audio/speech/models").await.ok();
    assert_eq!(models["items"][0]["id"], "fake/plain-voice");
    assert_eq!(
        (&models["items"][0]["is_default"], &models["items"][0]["unit_price_nanos"]),
        (&json!(true), &json!(15_000_000_000u64))
    );
    let mut characters = 0;
    for (format, media_type) in [
        ("mp3", "audio/mpeg"),
        ("opus", "audio/ogg"),
        ("aac", "audio/aac"),
        ("flac", "audio/flac"),
        ("wav", "audio/wav"),
        ("pcm", "audio/pcm"),
    ] {
        let text = format!("größer {format}");
        characters += text.chars().count() as u64;
        let body = json!({"input": text, "response_format": format, "voice": "any", "speed": 1.5, "instructions": "softly"});
        let spoken = user.post(SPEECH, body).await;
        assert_eq!(
            (spoken.expect(200).header("content-type"), spoken.text()),
            (Some(media_type), format!("{format}:{text}"))
        );
        let asked = provider.requests().pop().unwrap();
        assert_eq!(
            asked,
            json!({"model": "plain-voice", "input": text, "response_format": format, "voice": "any",
            "speed": 1.5, "instructions": "softly"})
        );
    }
    user.post(SPEECH, json!({"input": "x"})).await.expect(200);
    assert_eq!(
        provider.requests().pop().unwrap(),
        json!({"model": "plain-voice", "input": "x", "response_format": "mp3", "voice": "alloy"})
    );
    let bills = bills(&server);
    // 15 dollars per million characters are 15,000 nano-dollars per character.
    assert!(bills.iter().all(|bill| bill.cost_nanos as u64 == bill.quantity * 15_000 && bill.billable));
    assert_eq!(bills.iter().map(|bill| bill.quantity).sum::<u64>(), characters + 1);
}

#[tokio::test]
async fn speech_is_streamed_as_it_is_generated() {
    let (server, provider) = with_provider(&["speech"]).await;
    let body = json!({"input": "later", "model": "fake/gated-voice"});
    let response = server.user().request(Method::POST, SPEECH).json(&body).send().await.unwrap();
    let mut pieces = response.bytes_stream();
    assert_eq!(pieces.next().await.unwrap().unwrap(), "mp3:", "the provider has not made the rest yet");
    assert_eq!(bills(&server).len(), 0);
    provider.open_gate();
    assert_eq!(pieces.next().await.unwrap().unwrap(), "later");
    assert!(pieces.next().await.is_none());
    assert_eq!(bills(&server).len(), 1, "the response ends after it was billed");
}

#[tokio::test]
async fn speech_of_a_disconnected_client_stops_the_provider_and_is_billed() {
    let (server, provider) = with_provider(&["speech"]).await;
    let body = json!({"input": "for ever", "model": "fake/endless-voice"});
    let mut response = server.user().request(Method::POST, SPEECH).json(&body).send().await.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    provider.idle().await;
    until("it is on the bill", async || !bills(&server).is_empty()).await;
    let bills = bills(&server);
    assert_eq!(bills.len(), 1);
    assert_eq!((bills[0].quantity, bills[0].cost_nanos), (8, 120_000));
}

#[tokio::test]
async fn speech_failures_are_reported_and_not_billed() {
    let (server, _provider) = with_impatience(&["speech"]).await;
    let user = server.user();
    for (model, status, code) in [
        ("silent-voice", 504, "upstream_timeout"),
        ("refusing-voice", 502, "upstream_failed"),
        ("limited-voice", 502, "upstream_failed"),
    ] {
        let answer = user.post(SPEECH, json!({"input": "x", "model": format!("fake/{model}")})).await;
        let problem = answer.problem(status, code);
        assert!(problem["reason"].as_str().unwrap().starts_with("upstream_"), "{problem}");
        assert!(!answer.text().contains(KEY), "{answer:?}");
    }
    // A stream of the provider that breaks off also breaks the response.
    let body = json!({"input": "x", "model": "fake/broken-voice"});
    let response = user.request(Method::POST, SPEECH).json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.bytes().await.is_err(), "a partial response must be an error");
    assert_eq!(bills(&server).len(), 0);
}

#[tokio::test]
async fn speech_respects_hidden_models_and_budgets() {
    let (server, _provider) = with_provider(&["speech"]).await;
    let (admin, user) = (server.admin(), server.user());
    let hide = |model: &str| format!("/api/tenant-admin/models/{model}/visibility");
    admin.put(&hide("fake/plain-voice"), hidden()).await.ok();
    let ids = |answer: Value| -> Vec<String> {
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let listed = ids(user.get("/api/audio/speech/models").await.ok());
    assert!(
        !listed.contains(&"fake/plain-voice".to_owned()) && listed[0] == "fake/gated-voice",
        "{listed:?}"
    );
    let named = json!({"input": "x", "model": "fake/plain-voice"});
    user.post(SPEECH, named.clone()).await.problem(404, "model_not_found");
    let strangers = ids(server.stranger().get("/api/audio/speech/models").await.ok());
    assert_eq!(strangers[0], "fake/plain-voice", "other tenants still see the model");
    server.stranger().post(SPEECH, named.clone()).await.expect(200);

    admin.put(&hide("fake/plain-voice"), json!({"visibility": "everyone"})).await.ok();
    // The budget covers one character, so the request that starts within it is answered.
    admin.put("/api/tenant-admin/budgets", json!({"cost_nanos_month": 15_000})).await.ok();
    user.post(SPEECH, named.clone()).await.expect(200);
    user.post(SPEECH, named).await.problem(402, "budget_exceeded");
    assert_eq!(bills(&server).len(), 1);
}
