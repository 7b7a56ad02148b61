//! Endless input for every parser on the server's HTTP side.

/// The server and the objects that the input is sent to.
pub struct Target {
    pub host: String,
    pub token: String,
    pub conversation: String,
    /// A live stream in the conversation.
    pub stream: String,
}

/// One way to send endless input.
pub struct Case {
    pub name: &'static str,
    /// Sent once, at the beginning.
    pub begin: Vec<u8>,
    /// Sent repeatedly; empty if the server has to respond to the beginning alone.
    pub repeat: Vec<u8>,
    /// The permitted statuses. A connection that breaks off without a response is also permitted: data that is
    /// still being sent makes the operating system discard a response that has not been read yet.
    pub want: Option<&'static [u16]>,
}

const TOO_LARGE: Option<&[u16]> = Some(&[400, 413]);

pub fn all(target: &Target) -> Vec<Case> {
    let mut all = forms(target);
    all.extend(sockets(target));
    all.extend(bodies(target));
    all.extend(heads(target));
    all
}

fn head(target: &Target, method: &str, path: &str, headers: &str) -> String {
    let Target { host, token, .. } = target;
    format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n{headers}\r\n")
}

/// A chunk of a chunked body.
fn chunk(bytes: &str) -> Vec<u8> {
    format!("{:x}\r\n{bytes}\r\n", bytes.len()).into_bytes()
}

fn forms(target: &Target) -> Vec<Case> {
    let path = format!("/api/conversations/{}/completion/", target.conversation);
    let headers = "content-type: multipart/form-data; boundary=x\r\ntransfer-encoding: chunked\r\n";
    let case = |name, begin: &str, repeat: &str| {
        let mut whole = head(target, "POST", &path, headers).into_bytes();
        if !begin.is_empty() {
            whole.extend(chunk(begin));
        }
        Case { name, begin: whole, repeat: chunk(&repeat.repeat(1 + 1000 / repeat.len())), want: TOO_LARGE }
    };
    let part = |attributes: &str| format!("--x\r\ncontent-disposition: form-data; {attributes}\r\n\r\n");
    let message = part("name=\"message\"");
    let long = "n".repeat(200);
    vec![
        case("a form of empty parts", "", &format!("{message}\r\n")),
        case("a form of empty files", "", &format!("{}\r\n", part("name=\"files\"; filename=\"\""))),
        case("a form of names", "", &format!("{}\r\n", part(&format!("name=\"{long}\"")))),
        case(
            "a form of file names",
            "",
            &format!("{}\r\n", part(&format!("name=\"files\"; filename=\"{long}\""))),
        ),
        case("a form of misplaced files", "", &format!("{}x\r\n", part("name=\"message\"; filename=\"x\""))),
        case("a part's headers", "--x\r\n", "x-header: y\r\n"),
        case("a part's header", "--x\r\nx-header: ", "yyyyyyyy"),
        case("a form's preamble", "", "nothing\r\n"),
        case("a form's preamble in one line", "", "nothing "),
        case("a text field", &message, "some text "),
        case("a file", &part("name=\"files\"; filename=\"a.txt\""), "some text "),
        Case { want: None, ..case("a form's epilogue", &format!("{message}\r\n--x--\r\n"), "nothing\r\n") },
    ]
}

/// A masked frame that announces `length` bytes, followed by the bytes of `payload`; the mask is zero.
fn frame(first: u8, length: u64, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match length {
        0..=125 => frame.push(0x80 | length as u8),
        _ => {
            frame.push(0x80 | 127);
            frame.extend(length.to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

fn sockets(target: &Target) -> Vec<Case> {
    let path = format!("/api/conversations/{}/streams/{}?after=1000000", target.conversation, target.stream);
    let upgrade = "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let case = |name, begin: Vec<u8>, repeat: Vec<u8>, want| {
        let begin = [head(target, "GET", &path, upgrade).into_bytes(), begin].concat();
        Case { name, begin, repeat, want }
    };
    let attach = br#"{"type":"attach","after":1000000}"#;
    vec![
        case("a frame of 1 GiB", frame(0x81, 1 << 30, b""), b"xxxxxxxx".to_vec(), Some(&[1009, 101])),
        case(
            "a message in fragments",
            frame(0x01, 100, &[b'x'; 100]),
            frame(0, 100, &[b'x'; 100]),
            Some(&[1009, 101]),
        ),
        case("a message in empty fragments", frame(0x01, 0, b""), frame(0, 0, b""), None),
        case("pings", Vec::new(), frame(0x89, 100, &[b'x'; 100]), None),
        case("commands", Vec::new(), frame(0x81, attach.len() as u64, attach), None),
    ]
}

fn bodies(target: &Target) -> Vec<Case> {
    let json = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    let case = |name, path: &str, begin: &str, repeat: &str| {
        let mut whole = head(target, "POST", path, json).into_bytes();
        if !begin.is_empty() {
            whole.extend(chunk(begin));
        }
        Case { name, begin: whole, repeat: chunk(&repeat.repeat(1 + 1000 / repeat.len())), want: TOO_LARGE }
    };
    let announced = |name, length: u64| {
        let headers = format!("content-type: application/json\r\ncontent-length: {length}\r\n");
        let begin = head(target, "POST", "/api/conversations", &headers).into_bytes();
        Case { name, begin, repeat: b"\"xxxxxxx".to_vec(), want: TOO_LARGE }
    };
    let chunked = |name, begin: &str, repeat: &str| {
        let begin = head(target, "POST", "/api/conversations", json) + begin;
        Case { name, begin: begin.into_bytes(), repeat: repeat.into(), want: None }
    };
    let unread = head(target, "GET", "/api/users/me", "transfer-encoding: chunked\r\n");
    vec![
        case("a JSON text", "/api/conversations", "{\"title\": \"", "some text "),
        case("JSON white space", "/api/conversations", "", "    "),
        case("nested JSON", "/api/conversations", "", "[[[["),
        announced("a body of 1 TiB", 1 << 40),
        announced("a body of more than can be counted", u64::MAX),
        chunked("a chunk's extension", "1;", "extension"),
        chunked("a chunk's size", "", "0"),
        chunked("trailers", "2\r\n{}\r\n0\r\n", "x-trailer: y\r\n"),
        Case {
            name: "a body that is not read",
            begin: unread.into(),
            repeat: chunk(&"x".repeat(1000)),
            want: None,
        },
    ]
}

fn heads(target: &Target) -> Vec<Case> {
    let Target { host, .. } = target;
    let begun = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n");
    let case = |name, begin: String, repeat: &str| Case {
        name,
        begin: begin.into(),
        repeat: repeat.into(),
        want: None,
    };
    vec![
        case("headers", begun.clone(), "x-header: y\r\n"),
        case("a header", format!("{begun}x-header: "), "yyyyyyyy"),
        case("an address", "GET /".to_owned(), "xxxxxxxx"),
        case("a query", "GET /healthz?".to_owned(), "a=b&c=d&"),
        case("line ends", String::new(), "\r\n"),
        case("requests", String::new(), &format!("{begun}\r\n")),
    ]
}
