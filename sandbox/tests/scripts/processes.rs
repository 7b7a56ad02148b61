//! The number of processes, and their termination.

use crate::support::{children, children_of, fields, hasty, roomy, sandbox, until};
use sandbox::ScriptErrorKind as Kind;
use sandbox::{Limits, Sandbox, SandboxConfig, Script};
use serde_json::json;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

crate::tests![
    no_process_is_left_before_or_after,
    a_dropped_script_is_dead,
    bad_scripts_do_not_disturb_others,
    no_more_at_once_than_allowed,
    waiting_costs_no_time,
    a_dead_spare_is_replaced,
    no_program_no_result,
    the_system_holds_the_door,
    children_die_with_their_parent,
    what_a_process_costs,
];

fn script(code: &str) -> Script {
    Script::new(code, fields(json!({})))
}

async fn no_process_is_left_before_or_after() {
    let config = SandboxConfig { spare_life: Duration::from_millis(300), ..SandboxConfig::default() };
    let sandbox = Sandbox::new(config);
    assert_eq!(children(), [0; 0]);
    sandbox.run(&script("const main = () => 1"), &roomy()).await.unwrap();
    until("a spare process", || children().len() == 1).await;
    until("its end", || children().is_empty()).await;

    let keeping = self::sandbox();
    keeping.run(&script("const main = () => 1"), &roomy()).await.unwrap();
    until("a spare process", || children().len() == 1).await;
    drop(keeping);
    until("the end of a dropped sandbox's", || children().is_empty()).await;
}

async fn a_dropped_script_is_dead() {
    let sandbox = Sandbox::new(SandboxConfig { spares: 0, children: 64, ..SandboxConfig::default() });
    for code in
        ["const main = () => { for (;;) {} }", "const main = () => [].includes.call({ length: 2 ** 53 }, 1)"]
    {
        let running: Vec<_> = (0..8)
            .map(|_| {
                let (sandbox, script) = (sandbox.clone(), script(code));
                tokio::spawn(async move { sandbox.run(&script, &roomy()).await })
            })
            .collect();
        until("eight processes", || children().len() == 8).await;
        running.iter().for_each(|task| task.abort());
        // None is left, not even as a zombie.
        until("none", || children().is_empty()).await;
    }
    // The places of the dropped scripts are available again.
    for _ in 0..3 {
        sandbox.run(&script("const main = () => 1"), &roomy()).await.unwrap();
    }
}

async fn bad_scripts_do_not_disturb_others() {
    let sandbox = Sandbox::new(SandboxConfig { children: 24, ..SandboxConfig::default() });
    let bad = [
        "function main() { for (;;) {} }",
        "function main() { const all = []; for (;;) all.push({}) }",
        "function main() { return main() }",
        "function main() { for (;;) console.log('x'.repeat(1000)) }",
        "const main = () => Array.prototype.includes.call({ length: 2 ** 53 }, 1)",
    ];
    let done = Arc::new(AtomicBool::new(false));
    let neighbours: Vec<_> = (0..20)
        .map(|n| {
            let (sandbox, script, done) = (sandbox.clone(), script(bad[n % bad.len()]), done.clone());
            tokio::spawn(async move {
                let mut ends = 0;
                while !done.load(Ordering::Relaxed) {
                    sandbox.run(&script, &hasty()).await.unwrap_err();
                    ends += 1;
                }
                ends
            })
        })
        .collect();
    for n in 0..20 {
        let good =
            Script::new("const main = i => { console.log(i.n); return i.n * 2 }", fields(json!({"n": n})));
        let ran = sandbox.run(&good, &roomy()).await.unwrap();
        assert_eq!((ran.output, ran.logs), (json!(n * 2), vec![n.to_string()]));
    }
    done.store(true, Ordering::Relaxed);
    for neighbour in neighbours {
        assert!(neighbour.await.unwrap() > 0);
    }
    drop(sandbox);
    until("no process", || children().is_empty()).await;
}

async fn no_more_at_once_than_allowed() {
    let sandbox = Sandbox::new(SandboxConfig { children: 2, spares: 1, ..SandboxConfig::default() });
    let busy = "function main() {
        const begin = Date.now(); while (Date.now() < begin + 50) {} return [begin, Date.now()] }";
    let running = (0..8).map(|_| {
        let (sandbox, script) = (sandbox.clone(), script(busy));
        tokio::spawn(async move { sandbox.run(&script, &roomy()).await.unwrap() })
    });
    // Each script reports its execution time. The number of processes is not the number of running scripts: some are
    // idle, and some have ended and have not been reaped yet.
    let mut moments = Vec::new();
    for task in running.collect::<Vec<_>>() {
        let told = task.await.unwrap().output;
        let at = |end: usize| told[end].as_f64().expect("a moment") as i64;
        moments.extend([(at(0), 1), (at(1), -1)]);
    }
    // Within the same millisecond, one ends before the next begins.
    moments.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, step) in moments {
        now += step;
        most = now.max(most);
    }
    assert!((1..=2).contains(&most), "{most} scripts at once");
}

async fn waiting_costs_no_time() {
    let sandbox = Sandbox::new(SandboxConfig { children: 1, ..SandboxConfig::default() });
    let busy = "const main = () => { const end = Date.now() + 400; while (Date.now() < end) {} return 1 }";
    // The last script waits for its turn longer than this limit.
    let limits = Limits { time: Duration::from_millis(3_500), ..Limits::default() };
    let began = Instant::now();
    let running = (0..12).map(|_| {
        let (sandbox, script) = (sandbox.clone(), script(busy));
        tokio::spawn(async move { sandbox.run(&script, &limits).await })
    });
    for task in running.collect::<Vec<_>>() {
        task.await.unwrap().unwrap();
    }
    assert!(began.elapsed() >= Duration::from_millis(4_800), "they ran one after the other");
}

async fn a_dead_spare_is_replaced() {
    let sandbox = sandbox();
    for _ in 0..3 {
        sandbox.run(&script("const main = () => 1"), &roomy()).await.unwrap();
        until("a spare process", || children().len() == 1).await;
        for id in children() {
            assert!(Command::new("kill").args(["-9", &id.to_string()]).status().unwrap().success());
        }
        let ran = sandbox.run(&script("const main = () => 2"), &roomy()).await.unwrap();
        assert_eq!(ran.output, json!(2));
    }
}

async fn no_program_no_result() {
    for program in ["/nowhere/understudy", "/bin/true", "/bin/cat", "/bin/echo"] {
        let config = SandboxConfig {
            program: Some(program.into()),
            start_patience: Duration::from_millis(500),
            ..SandboxConfig::default()
        };
        let why = Sandbox::new(config).run(&script("const main = () => 1"), &roomy()).await.unwrap_err();
        assert_eq!(why.kind, Kind::Unavailable, "{program}: {why:?}");
    }
}

async fn the_system_holds_the_door() {
    let sandbox = Sandbox::new(SandboxConfig { spares: 0, ..SandboxConfig::default() });
    let running = {
        let script = script("const main = () => { for (;;) {} }");
        tokio::spawn(async move { sandbox.run(&script, &roomy()).await })
    };
    until("a process", || children().len() == 1).await;
    let at = format!("/proc/{}", children()[0]);
    let limit = |name: &str| {
        let all = std::fs::read_to_string(format!("{at}/limits")).unwrap();
        let line = all.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        line[name.len()..].split_whitespace().next().unwrap().to_owned()
    };
    until("its limits", || limit("Max address space") != "unlimited").await;
    for name in ["Max open files", "Max file size", "Max core file size", "Max processes"] {
        assert_eq!(limit(name), "0", "{name}");
    }
    assert_eq!(limit("Max cpu time"), "65");
    // The memory is hidden: without administrator rights, these files cannot be read at all.
    assert_eq!(std::fs::read(format!("{at}/environ")).unwrap_or_default(), b"");
    let home = std::fs::read_link(format!("{at}/cwd"));
    assert!(home.is_err() || home.is_ok_and(|home| home.to_str() == Some("/")));
    if cfg!(target_os = "linux") {
        let has = |line: &str| {
            let status = std::fs::read_to_string(format!("{at}/status")).unwrap();
            status.lines().any(|it| it.split_whitespace().eq(line.split_whitespace()))
        };
        until("its filter of system calls", || has("Seccomp: 2")).await;
        assert!(has("NoNewPrivs: 1"));
    }
    running.abort();
    until("its end", || children().is_empty()).await;
}

async fn children_die_with_their_parent() {
    let mut parent =
        Command::new("/proc/self/exe").arg("orphan-maker").stdout(Stdio::null()).spawn().unwrap();
    until("grandchildren", || children_of(parent.id()).len() == 2).await;
    let orphans = children_of(parent.id());
    parent.kill().unwrap();
    parent.wait().unwrap();
    let gone = |id: &u32| {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The process that becomes the new parent may take some time to reap it.
        state.is_empty() || state.contains(") Z ")
    };
    until("their end", || orphans.iter().all(gone)).await;
}

/// In a separate process: runs two scripts that never end.
pub async fn make_an_orphan() -> ExitCode {
    let sandbox = Sandbox::new(SandboxConfig { spares: 0, children: 2, ..SandboxConfig::default() });
    let (first, second) = (
        script("const main = () => { for (;;) {} }"),
        script("const main = () => [].includes.call({ length: 2 ** 53 }, 1)"),
    );
    let limits = roomy();
    let _ = tokio::join!(sandbox.run(&first, &limits), sandbox.run(&second, &limits));
    ExitCode::SUCCESS
}

/// There is no fixed limit, so nothing is asserted: `cargo test -p sandbox what_a_process_costs` prints the
/// measurements.
async fn what_a_process_costs() {
    for (spares, name) in [(0, "a new process"), (1, "a spare process")] {
        let sandbox = Sandbox::new(SandboxConfig { spares, ..SandboxConfig::default() });
        let (mut all, script) = (Vec::new(), script("const main = () => 1"));
        for _ in 0..20 {
            let began = Instant::now();
            sandbox.run(&script, &roomy()).await.unwrap();
            all.push(began.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        all.sort();
        println!("    {name}: {:?} in the middle, {:?} at most", all[10], all[19]);
    }
}
