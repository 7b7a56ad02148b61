//! Scripts that call a host.

use crate::support::{children, fields, hasty, roomy, sandbox, until};
use async_trait::async_trait;
use sandbox::ScriptErrorKind as Kind;
use sandbox::{Host, Limits, SandboxConfig, Script, ScriptError, ScriptOutput};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Barrier;

crate::tests![
    what_a_host_gives_arrives,
    calls_are_on_their_way_at_once,
    answers_come_in_any_order,
    refusals_are_errors_of_the_script,
    too_much_is_refused_both_ways,
    calls_are_counted,
    answers_count_as_memory,
    waiting_is_the_scripts_time,
    a_dropped_script_drops_its_calls,
    a_script_that_ends_leaves_its_calls,
    nothing_but_the_host_settles,
    names_are_held_to_be_names,
    a_hostile_program_is_found_out,
];

/// A host whose behaviour depends on the called function.
#[derive(Default)]
struct Fake {
    barrier: Option<Barrier>,
    under_way: Arc<AtomicUsize>,
    made: AtomicUsize,
}

/// Counts a call that is in progress until it is dropped.
struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Host for Fake {
    fn names(&self) -> Vec<String> {
        ["echo", "meet", "fail", "huge", "never", "data.get", "data.deep.put"].map(str::to_owned).to_vec()
    }

    async fn call(&self, name: &str, given: Vec<Value>) -> Result<Value, String> {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let _under_way = UnderWay(self.under_way.clone());
        self.made.fetch_add(1, Ordering::SeqCst);
        match name {
            "meet" => {
                if let Some(barrier) = &self.barrier {
                    barrier.wait().await;
                }
                Ok(json!(given))
            }
            "fail" => Err(format!("no: {}", given[0].as_str().unwrap_or_default())),
            "huge" => Ok(json!("x".repeat(given[0].as_u64().unwrap_or_default() as usize))),
            "never" => std::future::pending().await,
            name => Ok(json!({"name": name, "given": given})),
        }
    }
}

async fn run(code: &str, limits: Limits, host: &Fake) -> Result<ScriptOutput, ScriptError> {
    sandbox().run_with(&Script::new(code, fields(json!({"n": 1}))), &limits, host).await
}

async fn result(code: &str, limits: Limits) -> Value {
    match run(code, limits, &Fake::default()).await {
        Ok(ran) => ran.output,
        Err(why) => panic!("{code}\n{why:?}"),
    }
}

async fn what_a_host_gives_arrives() {
    let code = "async function main({ n }, host) {
        const one = await host.echo('ü😀', { a: [n, null, undefined] }, undefined);
        return [one, await host.data.get(), await host.data.deep.put(-1.5), typeof host.nothing] }";
    let expected = json!([
        {"name": "echo", "given": ["ü😀", {"a": [1, null, null]}, null]},
        {"name": "data.get", "given": []},
        {"name": "data.deep.put", "given": [-1.5]},
        "undefined",
    ]);
    assert_eq!(result(code, roomy()).await, expected);
    // Without a host there is no second argument.
    let code = "function main() { return [arguments.length, typeof host] }";
    let ran = sandbox().run(&Script::new(code, fields(json!({}))), &roomy()).await.unwrap();
    assert_eq!(ran.output, json!([1, "undefined"]));
}

async fn calls_are_on_their_way_at_once() {
    // No call returns before all eight have arrived.
    let host = Fake { barrier: Some(Barrier::new(8)), ..Fake::default() };
    let code = "const main = (_, host) => Promise.all([...Array(24).keys()].map(i => host.meet(i)))";
    let ran = run(code, roomy(), &host).await.unwrap();
    let expected: Vec<Value> = (0..24).map(|i| json!([i])).collect();
    assert_eq!(ran.output, json!(expected));
}

async fn answers_come_in_any_order() {
    let host = Fake { barrier: Some(Barrier::new(2)), ..Fake::default() };
    let code = "async function main(_, host) {
        const seen = [];
        const first = host.meet('first').then(() => seen.push('first'));
        const echo = host.echo().then(() => seen.push('echo'));
        await echo;
        await Promise.all([first, host.meet('second')]);
        return seen }";
    assert_eq!(run(code, roomy(), &host).await.unwrap().output, json!(["echo", "first"]));
}

async fn refusals_are_errors_of_the_script() {
    let code = "async function main(_, host) {
        try { await host.fail('sorry') } catch (why) { return [why instanceof Error, why.message] } }";
    assert_eq!(result(code, roomy()).await, json!([true, "no: sorry"]));
    let code = "async function main(_, host) {\n  console.log('before');\n  await host.fail('uncaught') }";
    let why = run(code, roomy(), &Fake::default()).await.unwrap_err();
    assert_eq!((why.kind, why.message.as_str()), (Kind::Thrown, "Error: no: uncaught"));
    assert_eq!(why.logs, ["before"]);
    let code = "const main = (_, host) => { const a = []; a.push(a); return host.echo(a) }";
    assert_eq!(run(code, roomy(), &Fake::default()).await.unwrap_err().kind, Kind::Thrown);
}

async fn too_much_is_refused_both_ways() {
    let limits = Limits { call_bytes: 1_000, ..roomy() };
    let code = "async function main(_, host) {
        const why = [];
        await host.huge(998).then(text => why.push(text.length));
        await host.huge(999).catch(it => why.push(it.message));
        await host.echo('x'.repeat(1000)).catch(it => why.push(it.message));
        let deep = 1; for (let i = 0; i < 100; i++) deep = [deep];
        await host.echo(deep).catch(it => why.push(it.message));
        return why }";
    let expected = json!([
        998,
        "huge() gives 1001 bytes; the most is 1000",
        "echo() is given 1004 bytes; the most is 1000",
        "the arguments of echo() are nested too deeply",
    ]);
    assert_eq!(result(code, limits).await, expected);
}

async fn calls_are_counted() {
    let host = Fake::default();
    let limits = Limits { calls: 3, ..roomy() };
    let code = "async function main(_, host) {
        const all = await Promise.allSettled([1, 2, 3, 4, 5].map(i => host.echo(i)));
        return [all.map(it => it.status === 'fulfilled'), all[4].reason.message] }";
    let ran = run(code, limits, &host).await.unwrap();
    assert_eq!(ran.output, json!([[true, true, true, false, false], "a script may call its host 3 times"]));
    assert_eq!(host.made.load(Ordering::SeqCst), 3);
}

async fn answers_count_as_memory() {
    let limits = Limits { memory_bytes: 8 << 20, call_bytes: 4 << 20, ..roomy() };
    let code = "async function main(_, host) {
        const all = []; for (let i = 0; i < 50; i++) all.push(await host.huge(1 << 20)); return all.length }";
    let why = run(code, limits, &Fake::default()).await.unwrap_err();
    assert_eq!(why.kind, Kind::Memory, "{why:?}");
}

async fn waiting_is_the_scripts_time() {
    for code in [
        "const main = (_, host) => host.never()",
        "const main = (_, host) => { host.never(); return new Promise(() => {}) }",
        "const main = (_, host) => { host.echo(); for (;;) {} }",
    ] {
        let host = Fake::default();
        let why = run(code, hasty(), &host).await.unwrap_err();
        assert_eq!(why.kind, Kind::Timeout, "{code}\n{why:?}");
        until("no call", || host.under_way.load(Ordering::SeqCst) == 0).await;
    }
}

async fn a_dropped_script_drops_its_calls() {
    let sandbox = sandbox::Sandbox::new(SandboxConfig { spares: 0, ..SandboxConfig::default() });
    let host = Fake::default();
    let under_way = host.under_way.clone();
    let running = tokio::spawn(async move {
        let script = Script::new("const main = (_, host) => host.never()", fields(json!({})));
        sandbox.run_with(&script, &roomy(), &host).await
    });
    until("a call", || under_way.load(Ordering::SeqCst) == 1).await;
    assert_eq!(children().len(), 1);
    running.abort();
    until("no call", || under_way.load(Ordering::SeqCst) == 0).await;
    until("no process", || children().is_empty()).await;
}

async fn a_script_that_ends_leaves_its_calls() {
    let host = Fake::default();
    let code = "const main = async (_, host) => { host.never(); await host.echo(); return 'done' }";
    assert_eq!(run(code, roomy(), &host).await.unwrap().output, json!("done"));
    assert_eq!(host.under_way.load(Ordering::SeqCst), 0);
    assert_eq!(host.made.load(Ordering::SeqCst), 2);
}

async fn nothing_but_the_host_settles() {
    // While a call is open, an answer may arrive; afterwards none can.
    let code = "const main = (_, host) => host.echo().then(() => new Promise(() => {}))";
    let why = run(code, roomy(), &Fake::default()).await.unwrap_err();
    assert_eq!(why.kind, Kind::Unsettled, "{why:?}");
}

async fn names_are_held_to_be_names() {
    struct Strange;
    #[async_trait]
    impl Host for Strange {
        fn names(&self) -> Vec<String> {
            vec!["good".to_owned(), "a.\"+x".to_owned()]
        }
        async fn call(&self, _: &str, _: Vec<Value>) -> Result<Value, String> {
            Ok(Value::Null)
        }
    }
    let script = Script::new("const main = () => 1", fields(json!({})));
    let why = sandbox().run_with(&script, &roomy(), &Strange).await.unwrap_err();
    assert_eq!(why.kind, Kind::Syntax, "{why:?}");
}

/// A compromised child: its messages are not trusted.
async fn a_hostile_program_is_found_out() {
    let frame = |tag: u8, payload: &[u8]| {
        let mut whole = vec![tag];
        whole.extend((payload.len() as u32).to_le_bytes());
        whole.extend(payload);
        whole.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>()
    };
    let call = |id: u32, name: &str| {
        frame(b'Q', json!({"id": id, "name": name, "arguments": []}).to_string().as_bytes())
    };
    let flood: String = (0..10).map(|id| call(id, "echo")).collect();
    for (said, words) in [
        (call(0, "rm"), "crashed"),
        (frame(b'Q', b"no json"), "crashed"),
        (frame(b'A', b"\0\0\0\0\x01null"), "crashed"),
        (flood, "crashed"),
        ("\\121\\377\\377\\377\\377".to_owned(), "crashed"),
    ] {
        let hello = format!("{}{}", frame(b'R', b""), frame(b'S', b""));
        // The order is read so that the pipe stays open, followed by a result that must not be accepted.
        let verdict = frame(b'O', b"\"believed\"");
        let shell = format!("printf '{hello}{said}'; sleep 0.3; printf '{verdict}'; sleep 0.3");
        let config = SandboxConfig {
            program: Some("/bin/sh".into()),
            args: vec!["-c".into(), shell.clone().into()],
            spares: 0,
            ..SandboxConfig::default()
        };
        let limits = Limits { calls: 5, ..roomy() };
        let script = Script::new("const main = () => 1", fields(json!({})));
        let host = Fake::default();
        let why = sandbox::Sandbox::new(config).run_with(&script, &limits, &host).await;
        let why = why.expect_err(&shell);
        assert_eq!(why.kind, Kind::Crashed, "{shell}\n{why:?}");
        assert!(why.message.contains(words) || why.message.contains("signal"), "{why:?}");
    }
}
