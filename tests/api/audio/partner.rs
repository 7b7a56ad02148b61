use serde_json::json;

use super::{bills, silence, upload, with_impatience};
use crate::harness::TestServer;
use crate::harness::fake_audio::KEY;

const BASES: [&str; 2] = ["/api/chat/partner_compatible/v1", "/api/chat/partner_compatible"];

#[tokio::test]
async fn openai_clients_synthesize_and_transcribe_speech() {
    let server = TestServer::start().await;
    let user = server.user();
    for base in BASES {
        let body = json!({"model": "default", "input": "High tide.", "voice": {"id": "kit"}, "response_format": "wav", "stream_format": "audio"});
        let spoken = user.post(&format!("{base}/audio/speech"), body).await;
        spoken.expect(200);
        let path = format!("{base}/audio/transcriptions");
        let told = upload(&user, &path, &spoken.body, &[("model", "builtin/ear")]).await.ok();
        assert_eq!((&told["text"], told.as_object().unwrap().len()), (&json!("High tide."), 2));
        assert_eq!(told["usage"]["type"], "duration");
        let fields = [
            ("model", "builtin/ear"),
            ("response_format", "verbose_json"),
            ("timestamp_granularities[]", "segment"),
            ("stream", "false"),
        ];
        let told = upload(&user, &path, &spoken.body, &fields).await.ok();
        assert_eq!(told["segments"][0]["text"], "High tide.");
        assert!(told["duration"].as_f64().unwrap() > 0.3);
    }
    assert_eq!(bills(&server).len(), 6);
}

#[tokio::test]
async fn audio_errors_have_the_format_of_the_openai_interface() {
    let (server, _provider) = with_impatience(&["speech", "transcription"]).await;
    let user = server.user();
    let speech = "/api/chat/partner_compatible/v1/audio/speech";
    let error = |answer: crate::harness::Answer, status: u16| answer.expect(status).json()["error"].clone();
    let refused = user.post(speech, json!({"input": "x", "model": "fake/refusing-voice"})).await;
    assert!(!refused.text().contains(KEY));
    assert_eq!(error(refused, 400)["type"], "invalid_request_error");
    let limited = user.post(speech, json!({"input": "x", "model": "fake/limited-voice"})).await;
    assert!(limited.header("retry-after").is_some());
    assert_eq!(error(limited, 429)["type"], "rate_limit_error");
    let late = user.post(speech, json!({"input": "x", "model": "fake/silent-voice"})).await;
    assert_eq!(error(late, 504)["type"], "server_error");
    let unknown = user.post(speech, json!({"input": "x", "model": "tts-9"})).await;
    assert_eq!(error(unknown, 404)["code"], "model_not_found");
    let wrong = user.post(speech, json!({"input": "x", "voice": 5})).await;
    assert_eq!(error(wrong, 422)["param"], "voice");
    let events = user.post(speech, json!({"input": "x", "stream_format": "sse"})).await;
    assert_eq!(error(events, 422)["param"], "stream_format");
    let path = "/api/chat/partner_compatible/v1/audio/transcriptions";
    let words = upload(&user, path, &silence(50), &[("timestamp_granularities[]", "word")]).await;
    assert_eq!(error(words, 422)["param"], "timestamp_granularities[]");
    let refused = upload(&user, path, &silence(50), &[("model", "fake/refusing-ear")]).await;
    assert_eq!(error(refused, 400)["type"], "invalid_request_error");
    assert_eq!(
        error(server.anonymous().post(speech, json!({"input": "x"})).await, 401)["type"],
        "authentication_error"
    );
    let llm = server.token(&["llm:use"]).await;
    assert_eq!(error(llm.post(speech, json!({"input": "x"})).await, 403)["code"], "scope_missing");
    assert_eq!(bills(&server).len(), 0);
}
