//! Connections that are open when a right is removed end at once, not at the next periodic check.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::time::timeout;

use super::scene::{id, inside, let_in, member, project, shared};
use crate::api::people::company::{group, join, leave};
use crate::api::streams::reading::{Stream, address, ask_words, attach, server};
use crate::api::streams::socket::{Frame, Socket};
use crate::harness::{Client, TestServer, text};

/// Less than half of the interval of the periodic check, and much more than any operation here takes.
const SOON: Duration = Duration::from_secs(20);

/// Opens the feed of a conversation.
async fn feed(client: &Client, home: &str) -> Stream {
    let request = client.request(Method::GET, &format!("/api/conversations/{home}"));
    let mut feed = Stream::open(request.header("accept", "text/event-stream")).await;
    while !feed.frame().await.expect("a frame").contains("feed.opened") {}
    feed
}

/// All connections that a user has open in a conversation with a live stream.
struct Open {
    feed: Stream,
    stream: Stream,
    lines: Stream,
    socket: Socket,
}

impl Open {
    async fn by(client: &Client, home: &str, live: &str) -> Self {
        let mut open = Self {
            feed: feed(client, home).await,
            stream: attach(client, home, live, "").await,
            lines: attach(client, home, live, "?wire=ndjson").await,
            socket: Socket::open(client, &address(home, live)).await,
        };
        open.stream.until("text.delta").await;
        assert!(matches!(open.socket.hear().await, Frame::Text(_)));
        open
    }

    /// Asserts that all connections end, and none of them because the run has ended.
    async fn ends(self) {
        let Self { feed, stream, lines, mut socket } = self;
        let closed = async {
            loop {
                if let Frame::Close(code) = socket.hear().await {
                    return code;
                }
            }
        };
        let all = async { tokio::join!(feed.rest(), stream.rest(), lines.rest(), closed) };
        let (_, stream, lines, code) = timeout(SOON, all).await.expect("all of it ends");
        assert!(!stream.contains("run.ended") && !lines.contains("run.ended"));
        assert_eq!(code, 1008, "closed with a policy violation");
    }

    /// Asserts that none of the connections ends: each still delivers events.
    async fn goes_on(&mut self) {
        self.stream.until("text.delta").await;
        self.stream.until("text.delta").await;
        assert!(matches!(self.socket.hear().await, Frame::Text(_)));
    }
}

/// A live stream in a project that the editor can view.
struct Scene {
    server: TestServer,
    project: String,
    home: String,
    live: Stream,
}

async fn scene() -> Scene {
    let server = server().await;
    let project = shared(&server, "viewer").await;
    let home = inside(&server.user(), &project).await;
    let mut live = ask_words(&server.user(), &home, 5_000, 20).await;
    live.until("text.delta").await;
    Scene { server, project, home, live }
}

#[tokio::test]
async fn connections_of_a_removed_member_end() {
    let scene = scene().await;
    let Scene { server, project, home, live } = &scene;
    let (ada, person) = join(server, "ada").await;
    let_in(&server.user(), project, json!([member("user", &person.id, "editor")])).await;
    let mut stays = Open::by(&server.editor(), home, &live.id).await;
    let goes = Open::by(&ada, home, &live.id).await;
    server.user().delete(&format!("{project}/members/{}", person.id)).await.ok();
    goes.ends().await;
    stays.goes_on().await;
    server.user().delete(&address(home, &live.id)).await;
}

#[tokio::test]
async fn connections_end_when_the_conversation_leaves_its_project() {
    let scene = scene().await;
    let Scene { server, project, home, live } = &scene;
    let mut own = Open::by(&server.user(), home, &live.id).await;
    let read = Open::by(&server.editor(), home, &live.id).await;
    server.user().delete(&format!("{project}/conversations/{home}")).await.ok();
    read.ends().await;
    own.goes_on().await;
    let read = super::scene::project(&server.user(), "Other").await;
    server.user().post(&format!("{read}/conversations/{home}"), json!({})).await.ok();
    server.editor().get(&address(home, &live.id)).await.not_found();
    server.user().delete(&address(home, &live.id)).await;
}

#[tokio::test]
async fn connections_through_teams_and_groups_end_with_the_membership() {
    let scene = scene().await;
    let Scene { server, project, home, live } = &scene;
    let (ada, ada_person) = join(server, "ada").await;
    let (bob, bob_person) = join(server, "bob").await;
    let crew = group(server, "Crew", &[&bob_person]).await;
    let body = json!({"name": "T", "members": [{"kind": "user", "id": ada_person.id}]});
    let team = text(&server.user().post("/api/teams", body).await.created()["id"]);
    let_in(
        &server.user(),
        project,
        json!([member("team", &team, "viewer"), member("group", &crew, "viewer")]),
    )
    .await;
    let (by_team, by_group) = (Open::by(&ada, home, &live.id).await, Open::by(&bob, home, &live.id).await);
    server.user().put(&format!("/api/teams/{team}/members"), json!({"principals": []})).await.ok();
    by_team.ends().await;
    leave(server, &crew, &bob_person).await;
    by_group.ends().await;
    server.user().delete(&address(home, &live.id)).await;
}

#[tokio::test]
async fn connections_end_when_the_project_is_deleted() {
    let scene = scene().await;
    let Scene { server, project, home, live } = &scene;
    let read = Open::by(&server.editor(), home, &live.id).await;
    server.user().delete(project).await.ok();
    read.ends().await;
    server.user().delete(&address(home, &live.id)).await;
}

#[tokio::test]
async fn connections_end_when_the_reader_logs_out() {
    let scene = scene().await;
    let Scene { server, home, live, .. } = &scene;
    let editor = server.editor();
    let read = Open::by(&editor, home, &live.id).await;
    editor.post("/api/users/logout", json!({})).await.ok();
    read.ends().await;
    server.user().delete(&address(home, &live.id)).await;
}

#[tokio::test]
async fn socket_of_a_reader_cannot_stop_the_stream() {
    let scene = scene().await;
    let Scene { server, home, live, .. } = &scene;
    let mut socket =
        Socket::open(&server.editor(), &format!("{}?after=1000000", address(home, &live.id))).await;
    socket.say(json!({"type": "cancel"})).await;
    let Frame::Text(error) = socket.hear().await else { panic!("closed") };
    assert_eq!(error["error"]["code"], "not_allowed");
    let active = server.user().get(&format!("/api/conversations/{home}/streams/active")).await.ok();
    assert_eq!(active["stream_id"], live.id);
    server.user().delete(&address(home, &live.id)).await;
}

#[tokio::test]
async fn feed_of_a_reader_reports_events() {
    let server = server().await;
    let path = project(&server.user(), "Tides").await;
    let_in(&server.user(), &path, json!([member("user", &server.editor_person().id, "viewer")])).await;
    let home = inside(&server.user(), &path).await;
    let mut open = feed(&server.editor(), &home).await;
    ask_words(&server.user(), &home, 5, 0).await.rest().await;
    let mut told = String::new();
    while !told.contains("stream.ended") {
        told.push_str(&open.frame().await.expect("a frame"));
    }
    for kind in ["stream.started", "message.created", "title.updated"] {
        assert!(told.contains(kind), "{kind}: {told}");
    }
    assert!(!told.contains("marker"), "user data is visible to the owner only");
    server
        .user()
        .put(&format!("/api/conversations/{home}"), json!({"project_id": id(&path), "title": "Ebb"}))
        .await
        .ok();
    while !open.frame().await.expect("a frame").contains("Ebb") {}
}
