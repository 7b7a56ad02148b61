//! The password of the first administrator, in every order of events before the first login.

use super::process::ServerProcess;
use super::{bad, run, understudy};
use crate::harness::PASSWORD;
use std::path::Path;
use std::time::{Duration, Instant};

/// The moment at which a start is killed.
#[derive(Clone, Copy, Debug)]
enum Kill {
    /// As soon as the data folder contains this file or folder.
    At(&'static str),
    /// As soon as it has printed its greeting.
    Greeted,
    /// After this many milliseconds.
    After(u64),
}

const POINTS: [Kill; 14] = [
    Kill::Greeted,
    Kill::At("lock"),
    Kill::At("engine"),
    Kill::At("engine/log/0000000001.log"),
    Kill::At("secrets.key"),
    Kill::At("signing.key"),
    Kill::After(30),
    Kill::After(60),
    Kill::After(90),
    Kill::After(120),
    Kill::After(160),
    Kill::After(200),
    Kill::After(250),
    Kill::After(300),
];

/// Starts a server and kills it. Checks that every start that prints its greeting shows a password.
fn start_and_kill(dir: &Path, point: Kill) {
    let mut server = ServerProcess::spawn(dir, &[]);
    let began = Instant::now();
    let reached = |server: &ServerProcess| match point {
        Kill::At(name) => dir.join(name).exists() || !server.greeting().is_empty(),
        Kill::Greeted => !server.greeting().is_empty(),
        Kill::After(millis) => began.elapsed() >= Duration::from_millis(millis),
    };
    while !reached(&server) && !server.has_ended() {
        std::thread::yield_now();
    }
    assert!(!server.has_ended(), "{point:?}: {}", server.log());
    let greeting = server.greeting();
    assert!(greeting.is_empty() || server.password().is_some(), "{point:?}: {greeting}");
    server.kill();
}

#[tokio::test]
async fn first_password_is_shown_until_the_first_login_after_any_crash() {
    for (at, point) in POINTS.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_owned();
        let next = POINTS[(at + 5) % POINTS.len()];
        let killed = tokio::task::spawn_blocking(move || {
            start_and_kill(&path, point);
            start_and_kill(&path, next);
        });
        killed.await.unwrap();
        let server = ServerProcess::start(dir.path(), &[]).await;
        let password =
            server.password().unwrap_or_else(|| panic!("{point:?}, {next:?}: {}", server.greeting()));
        assert!(server.stop().await.success());
        // The password stays the same until it is used.
        let server = ServerProcess::start(dir.path(), &[]).await;
        assert_eq!(server.password().as_ref(), Some(&password), "{point:?}");
        server.log_in(&password).await.ok();
        server.kill();
        let server = ServerProcess::start(dir.path(), &[]).await;
        assert!(!server.greeting().contains("password"), "{}", server.greeting());
        server.log_in(&password).await.ok();
    }
}

#[tokio::test]
async fn first_password_can_be_changed_until_the_first_login() {
    const FIRST: (&str, &str) = ("UNDERSTUDY_ADMIN_PASSWORD", "mistyped at the start");
    const SECOND: (&str, &str) = ("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
    const THIRD: (&str, &str) = ("UNDERSTUDY_ADMIN_PASSWORD", "set after the first login");
    let dir = tempfile::tempdir().unwrap();
    ServerProcess::start(dir.path(), &[FIRST]).await.kill();
    let server = ServerProcess::start(dir.path(), &[]).await;
    assert!(server.greeting().contains("had at the first start"), "{}", server.greeting());
    server.kill();
    let server = ServerProcess::start(dir.path(), &[SECOND]).await;
    assert!(server.greeting().contains("the one in UNDERSTUDY_ADMIN_PASSWORD"), "{}", server.greeting());
    server.log_in(FIRST.1).await.problem(401, "login_failed");
    server.log_in(SECOND.1).await.ok();
    server.kill();
    let server = ServerProcess::start(dir.path(), &[THIRD]).await;
    assert!(!server.greeting().contains("password"), "{}", server.greeting());
    server.log_in(THIRD.1).await.problem(401, "login_failed");
    server.log_in(SECOND.1).await.ok();
}

#[tokio::test]
async fn first_password_is_forgotten_when_another_is_set_offline() {
    let dir = tempfile::tempdir().unwrap();
    ServerProcess::start(dir.path(), &[]).await.kill();
    let path = dir.path().to_owned();
    let set = tokio::task::spawn_blocking(move || {
        super::good(&run(&path, &["user", "password", "admin@localhost"]))
    });
    let said = set.await.unwrap();
    let password = said.lines().find_map(|line| line.strip_prefix("password  ")).unwrap();
    let password = password.split(' ').next().unwrap().to_owned();
    let server = ServerProcess::start(dir.path(), &[]).await;
    assert!(!server.greeting().contains("password"), "{}", server.greeting());
    server.log_in(&password).await.ok();
}

/// Earlier versions created the data folder and the administrator with each of these configurations
/// before they failed.
#[test]
fn start_with_a_faulty_configuration_creates_nothing() {
    let faults = [
        ("[[providers]]\nname = \"a\"\napi_key = \"env:NOPE\"", "NOPE is not in the environment"),
        ("[web]\nallow = [\"not a host\"]", "web.allow"),
        ("[models]\ndefault = \"absent/model\"", "models.default"),
        (
            "[workflows.secrets.crm]\nvalue = \"env:NOPE\"\nhosts = [\"a.example\"]\ntenants = [\"*\"]",
            "workflows.secrets.crm",
        ),
        (
            "[server.tls]\ncertificate = \"/nonexistent/cert.pem\"\nkey = \"/nonexistent/key.pem\"",
            "server.tls.certificate",
        ),
        ("[auth]\npassword_passes = 0", "auth.password_"),
        ("[log]\nlevel = \"a=b=c\"", "log.level"),
        (
            "[external_services.crm]\nissuer = \"https://id.example\"\nclient_id = \"a\"\nclient_secret = \"env:NOPE\"",
            "external_services.crm.client_secret",
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    let (file, data) = (dir.path().join("my.toml"), dir.path().join("data"));
    for (text, named) in faults {
        std::fs::write(&file, text).unwrap();
        let mut command = understudy(&data);
        let output = command.args(["--listen", "127.0.0.1:0", "--config"]).arg(&file).output().unwrap();
        let said = bad(&output, 2);
        assert!(said.contains(named), "{text}: {said}");
        assert!(!data.exists(), "{text}");
    }
}
