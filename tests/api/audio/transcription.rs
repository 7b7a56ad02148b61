use serde_json::{Value, json};

use super::{SPEECH, TRANSCRIPTION, bills, silence, upload, with_impatience, with_provider};
use crate::harness::fake_audio::KEY;
use crate::harness::{Answer, Client, TestServer};

const TEXT: &str = "The tide is high. When does it turn?";

async fn spoken(client: &Client) -> Vec<u8> {
    let spoken = client.post(SPEECH, json!({"input": TEXT})).await;
    spoken.expect(200);
    spoken.body
}

async fn heard(client: &Client, sound: &[u8], fields: &[(&str, &str)]) -> Answer {
    upload(client, TRANSCRIPTION, sound, fields).await
}

#[tokio::test]
async fn transcription_recognizes_the_built_in_voice() {
    let server = TestServer::start().await;
    let user = server.user();
    let sound = spoken(&user).await;
    let told = heard(&user, &sound, &[]).await.ok();
    assert_eq!((&told["text"], &told["model"]), (&json!(TEXT), &json!("builtin/ear")));
    let texts: Vec<&Value> =
        told["segments"].as_array().unwrap().iter().map(|segment| &segment["text"]).collect();
    assert_eq!(texts, [&json!("The tide is high."), &json!("When does it turn?")]);
    let duration = told["duration"].as_f64().unwrap();
    assert!(told["segments"][1]["end"].as_f64().unwrap() <= duration);
    assert_eq!((&told["duration_estimated"], &told["cost_nanos"]), (&json!(false), &json!(0)));
    let bill = bills(&server).pop().unwrap();
    assert_eq!((bill.kind.as_str(), bill.quantity), ("transcription", (duration * 1_000.0).round() as u64));

    let text = heard(&user, &sound, &[("response_format", "text")]).await;
    assert_eq!(
        (text.header("content-type"), text.text()),
        (Some("text/plain; charset=utf-8"), format!("{TEXT}\n"))
    );
    let srt = heard(&user, &sound, &[("response_format", "srt")]).await;
    assert_eq!(srt.header("content-type"), Some("application/x-subrip; charset=utf-8"));
    assert!(srt.text().starts_with("1\n00:00:0") && srt.text().contains("\n\n2\n00:00:"), "{srt:?}");
    let vtt = heard(&user, &sound, &[("response_format", "vtt")]).await;
    assert_eq!(vtt.header("content-type"), Some("text/vtt; charset=utf-8"));
    assert!(vtt.text().starts_with("WEBVTT\n\n00:00:0") && vtt.text().contains(" --> "), "{vtt:?}");
    let verbose = heard(&user, &sound, &[("response_format", "verbose_json")]).await.ok();
    assert_eq!((&verbose["task"], &verbose["segments"][1]["id"]), (&json!("transcribe"), &json!(1)));
    assert_eq!(bills(&server).len(), 6, "each request is billed");

    let none = heard(&user, &silence(1_500), &[]).await.ok();
    assert_eq!((&none["text"], &none["duration"]), (&json!("[silence]"), &json!(1.5)));
}

#[tokio::test]
async fn transcription_refuses_faulty_requests_and_bills_nothing() {
    let server = TestServer::start().await;
    let user = server.user();
    let wav = silence(100);
    for (sound, fields, places) in [
        (b"hello".to_vec(), vec![], vec!["body.file"]),
        (Vec::new(), vec![], vec!["body.file"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), vec![], vec!["body.file"]),
        // Audio in a format that this model does not accept.
        (b"ID3\x04\0\0\0\0\0\0".to_vec(), vec![], vec!["body.file"]),
        (b"RIFF\0\0\0\0WAVEfmt \0\0\0\0".to_vec(), vec![], vec!["body.file"]),
        (wav.clone(), vec![("response_format", "xml")], vec!["body.response_format"]),
        (
            wav.clone(),
            vec![("temperature", "1.1"), ("language", "x".repeat(17).leak())],
            vec!["body.language", "body.temperature"],
        ),
        (wav.clone(), vec![("temperature", "NaN")], vec!["body.temperature"]),
        (wav.clone(), vec![("colour", "red")], vec!["body.colour"]),
    ] {
        let answer = heard(&user, &sound, &fields).await;
        assert_eq!(answer.faults(), places, "{fields:?} {answer:?}");
    }
    let large = silence(25 << 16);
    assert!(large.len() > 25 << 20);
    heard(&user, &large, &[]).await.problem(413, "too_large");
    heard(&user, &wav, &[("model", "builtin/voice")]).await.problem(404, "model_not_found");
    let two = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\na\r\n".repeat(2)
        + "--x--\r\n";
    let request = user.request(reqwest::Method::POST, TRANSCRIPTION);
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(two);
    assert_eq!(Client::send(request).await.faults(), ["body.file"]);
    assert_eq!(bills(&server).len(), 0);
}

#[tokio::test]
async fn transcription_requires_its_scope() {
    let server = TestServer::start().await;
    let wav = silence(100);
    heard(&server.anonymous(), &wav, &[]).await.problem(401, "credentials_missing");
    let llm = server.token(&["llm:use"]).await;
    heard(&llm, &wav, &[]).await.problem(403, "scope_missing");
    heard(&server.token(&["media:use"]).await, &wav, &[]).await.ok();
    heard(&server.stranger(), &wav, &[]).await.ok();
    assert_eq!(bills(&server).len(), 1, "the stranger's request is billed to the stranger");
    let models = llm.get("/api/audio/transcription/models").await.ok();
    assert_eq!(models["items"][0]["id"], "builtin/ear");
    assert_eq!(models["items"][0]["media_types"], json!(["audio/wav"]));
    assert_eq!(models["items"][0]["price_unit"], "minute");
    assert!(models["items"][0]["info_tags"].as_array().unwrap().contains(&json!("no-recognition")));
}

#[tokio::test]
async fn transcription_bills_the_duration_from_the_provider_or_the_file() {
    let (server, provider) = with_provider(&["transcription"]).await;
    let user = server.user();
    let wav = silence(12_345);
    let fields = [("language", "en"), ("prompt", "Bergen"), ("temperature", "0.5")];
    let told = heard(&user, &wav, &fields).await.ok();
    assert_eq!((&told["text"], &told["language"]), (&json!("High tide. Low tide."), &json!("english")));
    assert_eq!(told["segments"][1], json!({"id": 1, "start": 60.0, "end": 61.25, "text": "Low tide."}));
    // 90.5 seconds at 0.6 cents per minute.
    assert_eq!((&told["duration"], &told["cost_nanos"]), (&json!(90.5), &json!(9_050_000)));
    let asked = provider.requests().pop().unwrap();
    assert_eq!(
        asked,
        json!({"model": "plain-ear", "language": "en", "prompt": "Bergen", "temperature": "0.5",
        "response_format": "verbose_json", "timestamp_granularities[]": "segment", "file": "sound.wav"})
    );

    // This model reports neither segments nor a duration; the duration is read from the file.
    let asks = provider.requests().len();
    let srt = heard(&user, &wav, &[("model", "fake/simple-ear"), ("response_format", "srt")]).await;
    assert_eq!(srt.expect(200).text(), "1\n00:00:00,000 --> 00:00:12,345\nHigh tide.\n\n");
    assert_eq!(provider.requests().len(), asks + 2, "the text is requested again without segments");
    heard(&user, &wav, &[("model", "fake/simple-ear"), ("response_format", "text")]).await.expect(200);
    assert_eq!(provider.requests().len(), asks + 3, "plain text needs no second request");
    heard(&user, &wav, &[("model", "fake/counting-ear")]).await.ok();
    // Without a reported duration, it is estimated from the size of the file.
    let opus = [b"OggS\0\x02".as_slice(), &[0; 7_994]].concat();
    let guessed = heard(&user, &opus, &[("model", "fake/simple-ear")]).await.ok();
    assert_eq!((&guessed["duration"], &guessed["duration_estimated"]), (&json!(2.0), &json!(true)));
    assert_eq!(provider.requests().pop().unwrap()["file"], "sound.ogg");

    let bills = bills(&server);
    let told: Vec<_> = bills.iter().map(|bill| (bill.quantity, bill.cost_nanos, bill.estimated)).collect();
    let by_file = (12_345, 1_234_500, false);
    assert_eq!(told, [(90_500, 9_050_000, false), by_file, by_file, by_file, (2_000, 200_000, true)]);
    assert_eq!((bills[3].usage.input_tokens, bills[3].usage.output_tokens), (14, 3));
}

#[tokio::test]
async fn transcription_failures_are_reported_and_not_billed() {
    let (server, _provider) = with_impatience(&["transcription"]).await;
    let user = server.user();
    for (model, status, code) in [
        ("silent-ear", 504, "upstream_timeout"),
        ("refusing-ear", 502, "upstream_failed"),
        ("rubbish-ear", 502, "upstream_failed"),
    ] {
        let answer = heard(&user, &silence(100), &[("model", &format!("fake/{model}"))]).await;
        answer.problem(status, code);
        assert!(!answer.text().contains(KEY), "{answer:?}");
    }
    assert_eq!(bills(&server).len(), 0);
}
