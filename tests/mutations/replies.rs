//! Mutations of the replies of peers.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::Value;

use super::values::{self, JsonMutation};
use crate::harness::reply::Reply;

/// A way to change a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    Json(JsonMutation),
    Status,
    Redirect,
    ContentType,
    Cut,
    Empty,
    Huge,
    Headers,
}

fn way(round: usize) -> Mutation {
    use Mutation as M;
    let others = [M::Status, M::Redirect, M::ContentType, M::Cut, M::Empty, M::Huge, M::Headers];
    let all: Vec<_> = JsonMutation::ALL.into_iter().map(M::Json).chain(others).collect();
    all[round % all.len()]
}

/// Applies the mutation of a round. Returns its description, and the reply.
pub fn mutated(mut reply: Reply, round: usize, dice: &mut StdRng) -> (String, Reply) {
    let way = way(round);
    let what = match way {
        Mutation::Json(way) => {
            let document = serde_json::from_slice::<Value>(&reply.body).unwrap_or_default();
            let (what, body) = values::mutate(&document, way, dice);
            reply.body = body;
            what
        }
        Mutation::Status => {
            let all =
                [201, 202, 204, 206, 304, 400, 401, 403, 404, 409, 410, 418, 429, 500, 502, 503, 599, 799];
            reply.status = *all.choose(dice).expect("statuses");
            reply.status.to_string()
        }
        Mutation::Redirect => {
            let to = [
                "/",
                "http://127.0.0.1:1/",
                "http://169.254.169.254/latest",
                "file:///etc/passwd",
                "//",
                "\u{fc}",
            ];
            let to = to.choose(dice).expect("places");
            reply.status = [301, 302, 303, 307, 308][dice.random_range(0..5)];
            reply.headers.push(("location".to_owned(), (*to).to_owned()));
            format!("{} {to}", reply.status)
        }
        Mutation::ContentType => {
            let all = ["text/html", "application/octet-stream", "application/json; charset=utf-16", "x", ""];
            let kind = all.choose(dice).expect("types");
            reply.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            reply.headers.push(("content-type".to_owned(), (*kind).to_owned()));
            format!("{kind:?}")
        }
        Mutation::Cut => {
            let at = dice.random_range(0..=reply.body.len() / 2);
            reply.cut_at = Some(at);
            reply.body.push(b' ');
            format!("at {at}")
        }
        Mutation::Empty => {
            reply.body.clear();
            String::new()
        }
        Mutation::Huge => {
            // Blanks after a document are still valid JSON.
            let bytes = [200_000, 3_000_000][dice.random_range(0..2)];
            reply.body.extend(std::iter::repeat_n(b' ', bytes));
            format!("{bytes} bytes more")
        }
        Mutation::Headers => {
            let odd = [
                ("retry-after", "18446744073709551616"),
                ("retry-after", "-1"),
                ("content-encoding", "gzip"),
                ("www-authenticate", "Bearer resource_metadata=\"http://127.0.0.1:1/x\", scope=\"\\\""),
                ("www-authenticate", "Bearer resource_metadata=\"file:///etc/passwd\""),
                ("set-cookie", "understudy_access=stolen; Path=/"),
                ("date", "never"),
                ("mcp-session-id", "\u{fc}"),
            ];
            let (name, value) = odd.choose(dice).expect("headers");
            reply.headers.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
            reply.headers.push(((*name).to_owned(), (*value).to_owned()));
            format!("{name}: {value}")
        }
    };
    (format!("{way:?}: {what}"), reply)
}
