//! The messages to a service manager, received on a real datagram socket.

use super::process::ServerProcess;
use super::understudy;
use crate::harness::PATIENCE;
use std::collections::HashMap;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

type Message = HashMap<String, String>;

fn receive(socket: &UnixDatagram) -> Message {
    let mut bytes = [0; 4096];
    let length = socket.recv(&mut bytes).expect("a message");
    let text = std::str::from_utf8(&bytes[..length]).expect("text");
    text.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

/// Waits for the first message that has this value; watchdog messages arrive in between.
fn receive_with(socket: &UnixDatagram, name: &str) -> Message {
    loop {
        let message = receive(socket);
        if message.contains_key(name) {
            return message;
        }
        assert!(message.contains_key("WATCHDOG"), "{message:?} was received before {name}");
    }
}

async fn off<T: Send + 'static>(
    socket: &UnixDatagram,
    work: impl FnOnce(&UnixDatagram) -> T + Send + 'static,
) -> T {
    let socket = socket.try_clone().expect("a socket");
    tokio::task::spawn_blocking(move || work(&socket)).await.expect("no panic")
}

async fn is_told(socket: UnixDatagram, name: String) {
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("my.toml");
    std::fs::write(&file, "").unwrap();
    let mut command = understudy(&dir.path().join("data"));
    command.args(["--listen", "127.0.0.1:0", "--config"]).arg(&file).env("NOTIFY_SOCKET", name);
    command.env("WATCHDOG_USEC", "2000000");
    let server = ServerProcess::spawn_command(command);
    let ready = off(&socket, |socket| receive_with(socket, "READY")).await;
    assert_eq!(ready["READY"], "1");
    // Sent only after the server listens.
    let url = server.url();
    assert_eq!(ready["STATUS"], format!("Serving at {url}"));
    for _ in 0..3 {
        let alive = off(&socket, |socket| receive_with(socket, "WATCHDOG")).await;
        assert_eq!(alive["WATCHDOG"], "1", "{}", server.log());
    }

    for (text, status) in [("", "Serving at"), ("[web]\nallow = [\"no host\"]", "the last reload failed")] {
        std::fs::write(&file, text).unwrap();
        let before = monotonic_micros();
        server.signal("HUP");
        let reloading = off(&socket, |socket| receive_with(socket, "RELOADING")).await;
        let at: u64 = reloading["MONOTONIC_USEC"].parse().unwrap();
        assert!((before..=monotonic_micros()).contains(&at), "{reloading:?}");
        let ready = off(&socket, |socket| receive_with(socket, "READY")).await;
        assert!(ready["STATUS"].contains(status), "{ready:?}");
    }
    server.signal("TERM");
    off(&socket, |socket| receive_with(socket, "STOPPING")).await;
    let mut server = server;
    assert!(server.until_ended().await.success());
}

fn monotonic_micros() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000).unwrap()
}

#[tokio::test]
async fn service_manager_is_notified_at_a_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    is_told(socket, path.to_str().unwrap().to_owned()).await;
}

#[tokio::test]
async fn service_manager_is_notified_at_an_abstract_name() {
    let name = format!("understudy-test-{}", std::process::id());
    let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    is_told(socket, format!("@{name}")).await;
}

#[tokio::test]
async fn server_without_a_service_manager_starts() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = understudy(dir.path());
    command.args(["--listen", "127.0.0.1:0"]).env("NOTIFY_SOCKET", "/nonexistent/notify");
    let mut server = ServerProcess::spawn_command(command);
    server.until_greeted().await;
    assert!(server.log().contains("the service manager cannot be notified"), "{}", server.log());
    assert!(server.stop().await.success());
}
