//! The fake provider: an OpenAI-compatible chat endpoint whose pace is set by the request. It stamps each chunk with
//! the time at which it was sent, so that the reader can compute the age of the chunk.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::server::{find, micros};
use crate::stamp::{MARK, STAMP, STAMP_DIGITS};
use crate::{Ask, Outcome};

const OPENING: &str = r#"data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1735689600,"model":"bench","choices":[{"index":0,"delta":{""#;
const CLOSING: &str = "\"},\"finish_reason\":null}]}\n\n";
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Serves until killed, on a single thread, so that it uses as little of the two cores as possible.
pub fn serve() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (connection, _) = listener.accept().await?;
            tokio::task::spawn_local(async move {
                connection.set_nodelay(true).ok();
                // A peer that disconnects in the middle of a response is expected.
                let _ = answer_all(connection).await;
            });
        }
    })
}

async fn answer_all(mut connection: TcpStream) -> std::io::Result<()> {
    let mut gathered = Vec::new();
    while let Some(body) = read_request(&mut connection, &mut gathered).await? {
        let ask = Ask::parse(&body);
        match ask.stream {
            true => stream(&mut connection, &ask).await?,
            false => plain(&mut connection, &ask).await?,
        }
    }
    Ok(())
}

/// Reads the body of one request; `None` if the peer has closed the connection. Bytes read beyond the body stay in
/// `gathered`.
async fn read_request(
    connection: &mut TcpStream,
    gathered: &mut Vec<u8>,
) -> std::io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(end) = find(gathered, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&gathered[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|value| value.trim().parse().ok()).unwrap_or(0);
            if gathered.len() >= end + 4 + length {
                let body = gathered[end + 4..end + 4 + length].to_vec();
                gathered.drain(..end + 4 + length);
                return Ok(Some(body));
            }
        }
        if connection.read_buf(gathered).await? == 0 {
            return Ok(None);
        }
    }
}

/// One chunk as a separate frame, as providers send them.
fn frame(into: &mut Vec<u8>, field: &str, content: &[u8]) {
    let length = OPENING.len() + field.len() + 3 + content.len() + CLOSING.len();
    into.extend_from_slice(format!("{length:x}\r\n{OPENING}{field}\":\"").as_bytes());
    into.extend_from_slice(content);
    into.extend_from_slice(CLOSING.as_bytes());
    into.extend_from_slice(b"\r\n");
}

fn stamped(into: &mut Vec<u8>, field: &str) {
    let now = micros() & ((1 << (4 * STAMP_DIGITS)) - 1);
    frame(into, field, format!("{}{now:010x} word", char::from(STAMP)).as_bytes());
}

async fn stream(connection: &mut TcpStream, ask: &Ask) -> std::io::Result<()> {
    let mut frames = HEAD.to_vec();
    let period = Duration::from_micros(ask.gap_us.max(1));
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut left = ask.chunks;
    while left > 0 {
        for _ in 0..left.min(ask.burst.max(1)) {
            let thought = ask.turns && left.is_multiple_of(2);
            stamped(&mut frames, if thought { "reasoning_content" } else { "content" });
            left -= 1;
        }
        connection.write_all(&frames).await?;
        frames.clear();
        match ask.gap_us {
            // Yields to the other streams of this thread, even at full speed.
            0 => tokio::task::yield_now().await,
            _ => _ = ticks.tick().await,
        }
    }
    if ask.stall {
        frame(&mut frames, "content", MARK);
        connection.write_all(&frames).await?;
        // Send nothing more until the peer closes the connection.
        connection.read_u8().await?;
        return Ok(());
    }
    let ending = r#"data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1735689600,"model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let usage = format!(
        r#"data: {{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1735689600,"model":"bench","choices":[],"usage":{{"prompt_tokens":9,"completion_tokens":{0},"total_tokens":{0}}}}}"#,
        ask.chunks
    );
    for text in [ending, &usage, "data: [DONE]"] {
        frames.extend_from_slice(format!("{:x}\r\n{text}\n\n\r\n", text.len() + 2).as_bytes());
    }
    frames.extend_from_slice(b"0\r\n\r\n");
    connection.write_all(&frames).await
}

async fn plain(connection: &mut TcpStream, ask: &Ask) -> std::io::Result<()> {
    let words = "word ".repeat(ask.chunks as usize);
    let body = format!(
        r#"{{"id":"chatcmpl-bench","object":"chat.completion","created":1735689600,"model":"bench","choices":[{{"index":0,"message":{{"role":"assistant","content":"{}"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":9,"completion_tokens":{1},"total_tokens":{1}}}}}"#,
        words.trim(),
        ask.chunks
    );
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    connection.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await
}
