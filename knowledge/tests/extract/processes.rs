//! The processes that read files: they end, and their output is not trusted.

use crate::support::*;
use futures::future::join_all;
use knowledge::{ExtractErrorKind as Kind, Extractor, ExtractorConfig};
use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

crate::tests![
    a_process_that_takes_too_long_is_killed,
    a_future_that_is_dropped_takes_its_process_along,
    a_process_that_goes_down_is_told_apart,
    a_process_that_lies_is_not_believed,
    no_more_files_are_read_at_once_than_are_allowed,
    a_missing_program_or_file_may_be_tried_again,
    the_cage_is_shut,
];

/// The behaviour of this program as a child; `None` if `role` is not known.
pub fn play(role: &str) -> Option<ExitCode> {
    let mut out = std::io::stdout();
    let mut frame = |tag: u8, payload: &[u8]| {
        let length = (payload.len() as u32).to_le_bytes();
        let _ = out.write_all(&[&[tag][..], &length, payload].concat()).and_then(|()| out.flush());
    };
    const HEAD: &[u8] = br#"{"media_type":"text/plain","title":null}"#;
    match role {
        "extract" => return Some(ExitCode::from(u8::from(knowledge::extract::serve().is_err()))),
        "play-sleep" => sleep(),
        "play-exit" => {}
        "play-abort" => std::process::abort(),
        "play-overflow" => println!("{}", overflow(1)),
        "play-fault" => drop(Command::new("/bin/sh").args(["-c", "kill -ILL $PPID"]).status()),
        "play-noise" => print!("{}", "no frame at all ".repeat(100)),
        "play-long" => {
            let _ = out.write_all(b"p\xff\xff\xff\xff").and_then(|()| out.flush());
            sleep();
        }
        "play-long-page" => {
            frame(b'h', HEAD);
            let _ =
                std::io::stdout().write_all(b"p\xff\xff\xff\x7f").and_then(|()| std::io::stdout().flush());
            sleep();
        }
        "play-pages" => {
            frame(b'h', HEAD);
            (0..100).for_each(|_| frame(b'p', br#"{"number":1,"name":null,"text":"x"}"#));
            sleep();
        }
        "play-text" => {
            frame(b'h', HEAD);
            let page = format!(r#"{{"number":1,"name":null,"text":"{}"}}"#, "x".repeat(600));
            (0..3).for_each(|_| frame(b'p', page.as_bytes()));
            frame(b'e', b"null");
            sleep();
        }
        "play-half" => {
            frame(b'h', HEAD);
            frame(b'p', br#"{"number":1,"name":null,"text":"x"}"#);
        }
        "play-no-json" => {
            frame(b'h', b"{");
            sleep();
        }
        _ => return None,
    }
    Some(ExitCode::from(3))
}

fn sleep() {
    std::thread::sleep(Duration::from_secs(600));
}

fn overflow(depth: u64) -> u64 {
    let room = [depth; 512];
    if depth == 0 { 0 } else { overflow(std::hint::black_box(depth + 1)) + std::hint::black_box(room)[3] }
}

/// An extractor whose processes play a role.
fn playing(role: &str) -> ExtractorConfig {
    ExtractorConfig { args: vec![role.into()], text_bytes: 1000, pages: 10, ..ExtractorConfig::default() }
}

async fn a_process_that_takes_too_long_is_killed() {
    let config = ExtractorConfig { time: Duration::from_millis(300), ..playing("play-sleep") };
    fails_within(b"x", "a.txt", config, Kind::Timeout, "0.3 s").await;
    assert!(children().is_empty());
}

async fn a_future_that_is_dropped_takes_its_process_along() {
    let extractor = Extractor::new(ExtractorConfig { children: 1, ..playing("play-sleep") });
    let path = sample("handbook.md");
    let hint = named("handbook.md");
    let reading = extractor.extract(&path, &hint);
    let given_up = tokio::time::timeout(Duration::from_millis(300), reading).await;
    assert!(given_up.is_err());
    until("the process is gone", || children().is_empty()).await;
    // Its place is available again.
    let again = tokio::time::timeout(Duration::from_millis(300), extractor.extract(&path, &hint)).await;
    assert!(again.is_err());
    until("the process is gone", || children().is_empty()).await;
}

async fn a_process_that_goes_down_is_told_apart() {
    fails_within(b"x", "a.txt", playing("play-exit"), Kind::Crashed, "crashed").await;
    fails_within(b"x", "a.txt", playing("play-fault"), Kind::Crashed, "signal 4").await;
    fails_within(b"x", "a.txt", playing("play-overflow"), Kind::Crashed, "signal 6").await;
    // The allocator also aborts when the memory is exhausted.
    fails_within(b"x", "a.txt", playing("play-abort"), Kind::Memory, "memory").await;
    assert!(children().is_empty());
}

async fn a_process_that_lies_is_not_believed() {
    for role in ["noise", "long", "long-page", "pages", "text", "half", "no-json"] {
        fails_within(b"x", "a.txt", playing(&format!("play-{role}")), Kind::Crashed, "crashed").await;
        assert!(children().is_empty(), "{role}");
    }
}

async fn no_more_files_are_read_at_once_than_are_allowed() {
    let extractor = Extractor::new(ExtractorConfig { children: 2, ..ExtractorConfig::default() });
    let (done, most) = (AtomicBool::new(false), AtomicUsize::new(0));
    let watch = async {
        while !done.load(Ordering::Relaxed) {
            most.fetch_max(children().len(), Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let read = async {
        let one = async || extractor.clone().extract(&sample("handbook.md"), &named("handbook.md")).await;
        let all = join_all((0..20).map(|_| one())).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        done.store(true, Ordering::Relaxed);
    };
    tokio::join!(watch, read);
    let most = most.load(Ordering::Relaxed);
    assert!((1..=2).contains(&most), "{most} at once");
}

async fn a_missing_program_or_file_may_be_tried_again() {
    let config = ExtractorConfig { program: Some("/nowhere/at/all".into()), ..ExtractorConfig::default() };
    fails_within(b"x", "a.txt", config, Kind::Unavailable, "cannot be started").await;
    let why = extractor().extract(std::path::Path::new("/nowhere/at/all"), &named("a")).await.unwrap_err();
    assert_eq!(why.kind, Kind::Unavailable, "{why:?}");
}

/// The file is a pipe: the child waits for its content, and can be examined while it waits.
async fn the_cage_is_shut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let mut pipe = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let reading = {
        let path = path.clone();
        tokio::spawn(async move { extractor().extract(&path, &named("a.txt")).await })
    };
    let limits = || {
        let child = *children().first()?;
        let told = std::fs::read_to_string(format!("/proc/{child}/limits")).ok()?;
        // The last limit is set immediately before the file is read.
        let shut =
            told.lines().any(|line| line.starts_with("Max address space") && !line.contains("unlimited"));
        shut.then_some((child, told))
    };
    until("the cage is shut", || limits().is_some()).await;
    let (child, told) = limits().unwrap();
    let soft = |name: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    for name in ["Max file size", "Max open files", "Max core file size", "Max processes"] {
        assert_eq!(soft(name), "0", "{told}");
    }
    assert_eq!(soft("Max cpu time"), "126", "{told}");
    let environment = std::fs::read_to_string(format!("/proc/{child}/environ")).unwrap();
    assert!(
        environment.starts_with("UNDERSTUDY_EXTRACT=") && environment.matches('\0').count() <= 1,
        "{environment}"
    );
    assert_eq!(std::fs::read_link(format!("/proc/{child}/cwd")).unwrap().to_str(), Some("/"));
    pipe.write_all(b"words from a pipe").unwrap();
    drop(pipe);
    let read = reading.await.unwrap().unwrap();
    assert_eq!(flat(&read), "words from a pipe");
}
