//! `/api/audio`, its OpenAI-compatible counterpart, and images that models generate.

mod partner;
mod pictures;
mod speech;
mod transcription;

use reqwest::Method;
use storage::records::UsageRecord;
use storage::{Row, Scan, TenantId};

use super::streams::reading::unlimited;
use crate::harness::fake_audio::FakeAudio;
use crate::harness::{Answer, Client, TestServer};

const SPEECH: &str = "/api/audio/speech";
const TRANSCRIPTION: &str = "/api/audio/transcription";

async fn with_provider(purposes: &[&str]) -> (TestServer, FakeAudio) {
    let provider = FakeAudio::start().await;
    (of_providers(provider.config(purposes)).await, provider)
}

/// Like `with_provider`, with short timeouts, for models that never answer.
async fn with_impatience(purposes: &[&str]) -> (TestServer, FakeAudio) {
    let provider = FakeAudio::start().await;
    (of_providers(provider.impatient(purposes)).await, provider)
}

async fn of_providers(fake: providers::ProviderConfig) -> TestServer {
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![fake];
    });
    server.await
}

/// Returns the usage records of the members' tenant, oldest first.
fn bills(server: &TestServer) -> Vec<Row<UsageRecord>> {
    let tenant = TenantId(server.user_person().tenant.parse().unwrap());
    server.store().read_now(|reader| reader.scan::<UsageRecord>(tenant, Scan::table())).unwrap().items
}

/// Sends a form with one file and further fields.
async fn upload(client: &Client, path: &str, sound: &[u8], fields: &[(&str, &str)]) -> Answer {
    let mut body = Vec::new();
    body.extend_from_slice(
        b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"sound.bin\"\r\n\r\n",
    );
    body.extend_from_slice(sound);
    body.extend_from_slice(b"\r\n");
    for (name, value) in fields {
        body.extend(
            format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").as_bytes(),
        );
    }
    body.extend_from_slice(b"--x--\r\n");
    let request =
        client.request(Method::POST, path).header("content-type", "multipart/form-data; boundary=x");
    Client::send(request.body(body)).await
}

/// Returns a WAV file with this many milliseconds of silence.
fn silence(ms: u32) -> Vec<u8> {
    let data = ms * 16;
    let mut wav = b"RIFF".to_vec();
    wav.extend((data + 36).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(8_000u32.to_le_bytes());
    wav.extend(16_000u32.to_le_bytes());
    wav.extend(b"\x02\0\x10\0data");
    wav.extend(data.to_le_bytes());
    wav.resize(44 + data as usize, 0);
    wav
}
