use serde_json::json;
use understudy::parts::api::File;

fn read(url: &str, media_type: &str) -> Option<(String, usize)> {
    let part = json!({"type": "file", "url": url, "mediaType": media_type, "filename": "../a.txt"});
    match File::read(&serde_json::from_value(part).expect("a part"), "/api/home/files/")? {
        File::Inline { filename, media_type, bytes } => {
            assert_eq!(filename, "a.txt");
            Some((media_type, bytes.len()))
        }
        File::Stored(blob) => Some((blob, 0)),
    }
}

#[test]
fn file_read_accepts_base64_data_urls() {
    let known = |kind: &str, length| Some((kind.to_owned(), length));
    assert_eq!(read("data:text/plain;base64,QUJD", "text/markdown"), known("text/markdown", 3));
    assert_eq!(read("data:text/plain;charset=utf-8;base64,QUJD", ""), known("text/plain", 3));
    assert_eq!(read("data:text/plain;base64,iVBORw0KGgoAAAANSUhEUg==", ""), known("image/png", 16));
    for none in ["data:text/plain,ABC", "data:text/plain;base64,Q", "https://example.org/a.txt", "", "data:"]
    {
        assert_eq!(read(none, "text/plain"), None, "{none}");
    }
}
