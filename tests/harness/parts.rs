//! Downloads that are sent in parts.

use super::answer::Answer;
use super::client::Client;
use reqwest::Method;

/// Requests parts of the content at a path, which consists of `bytes` (at least four), and checks the
/// responses.
pub async fn is_sent_in_parts(client: &Client, path: &str, bytes: &[u8]) {
    let size = bytes.len();
    let whole = client.get(path).await;
    let tag = whole.header("etag").expect("a tag").to_owned();
    assert_eq!((whole.expect(200).header("accept-ranges"), &whole.body[..]), (Some("bytes"), bytes));
    let get = async |headers: &[(&str, &str)]| -> Answer {
        let request = client.request(Method::GET, path);
        Client::send(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)))
            .await
    };
    let from = format!("bytes={}-", size - 2);
    for (range, part) in [
        ("bytes=1-2", 1..3),
        (&*from, size - 2..size),
        ("bytes=-2", size - 2..size),
        ("bytes=0-999999999", 0..size),
    ] {
        let answer = get(&[("range", range)]).await;
        assert_eq!(answer.expect(206).body, bytes[part.clone()], "{range}");
        let said = format!("bytes {}-{}/{size}", part.start, part.end - 1);
        assert_eq!(answer.header("content-range"), Some(said.as_str()));
    }
    let beyond = get(&[("range", &format!("bytes={size}-"))]).await;
    beyond.problem(416, "range_not_satisfiable");
    assert_eq!(beyond.header("content-range"), Some(format!("bytes */{size}").as_str()));
    assert_eq!(get(&[("range", "bytes=1-2"), ("if-range", &tag)]).await.expect(206).body, bytes[1..3]);
    assert_eq!(get(&[("range", "bytes=1-2"), ("if-range", "\"other\"")]).await.expect(200).body, bytes);
    assert_eq!(get(&[("if-none-match", &tag)]).await.expect(304).body, b"");
}
