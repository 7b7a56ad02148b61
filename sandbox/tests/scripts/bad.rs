//! The errors of bad scripts: each kind of failure has its own.

use crate::support::{error, fails, fields, hasty, roomy, run, sandbox};
use sandbox::ScriptErrorKind as Kind;
use sandbox::{Limits, Script};
use serde_json::json;
use std::time::Duration;

crate::tests![
    loops_end,
    native_loops_are_killed,
    memory_ends,
    a_full_memory_can_be_survived,
    recursion_ends,
    a_flood_of_lines_ends,
    lines_outlive_the_script,
    results_have_limits,
    what_is_thrown_is_told,
    what_is_no_script_is_told,
    promises_that_never_settle,
];

async fn loops_end() {
    for code in [
        "function main() { for (;;) {} }",
        "for (;;) {}\nfunction main() {}",
        "function main() { for (;;) { try { for (;;) {} } catch { continue } finally { for (;;) {} } } }",
        "async function main() { for (;;) await 0 }",
        "function main() { const again = () => queueMicrotask(again); again(); return new Promise(() => {}) }",
        "function main() { return { toJSON() { for (;;) {} } } }",
        "function main() { return { get a() { for (;;) {} } } }",
        "function main() { throw { toJSON() { for (;;) {} } } }",
        "function main() { throw new Proxy(new Error, { get() { for (;;) {} } }) }",
        "function main() { return { then() { for (;;) {} } } }",
    ] {
        fails(code, hasty(), Kind::Timeout, "400 ms").await;
    }
}

async fn native_loops_are_killed() {
    for code in [
        "const main = () => Array.prototype.includes.call({ length: 2 ** 53 }, 1)",
        "const main = () => Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "const main = () => /^(a+)+$/.test('a'.repeat(60) + 'b')",
        "const main = () => /(x+x+)+y/.test('x'.repeat(5000))",
        "const main = () => Array.prototype.reverse.call(new Proxy({ length: 2 ** 40 }, {}))",
    ] {
        let why = error(code, hasty()).await;
        assert_eq!(why.kind, Kind::Timeout, "{code}\n{why:?}");
    }
}

async fn memory_ends() {
    let limits = Limits { memory_bytes: 16 << 20, ..roomy() };
    for code in [
        "function main() { const all = []; for (;;) all.push({}) }",
        "function main() { let s = 'x'; for (;;) s += s + Math.random() }",
        "function main() { const all = []; for (;;) all.push(new Uint8Array(1 << 20)) }",
        "function main() { return new Uint8Array(2 ** 30) }",
        "function main() { const m = new Map; for (let i = 0;; i++) m.set(i, i) }",
        "function main() { const a = {}; a.a = a; let b = a; for (;;) b = { b } }",
        "const all = []; for (;;) all.push([1, 2, 3])",
        "async function main() { const all = []; for (;;) all.push(await { n: 1 }) }",
        "function main() { return new Array(1e7).fill(0.5) }",
    ] {
        fails(code, limits, Kind::Memory, "16777216 bytes").await;
    }
    let why = run("const main = () => 1", json!({"much": "x".repeat(17 << 20)}), limits).await.unwrap_err();
    assert_eq!(why.kind, Kind::Memory);
}

async fn a_full_memory_can_be_survived() {
    let code = "function main() { let n = 0; try { const all = []; for (;;) { all.push(new Array(1000).fill(n)); n++ } }
        catch { return n > 10 } }";
    let ran = run(code, json!({}), roomy()).await.unwrap();
    assert_eq!(ran.output, json!(true));
    let most = Limits { memory_bytes: 512 << 20, ..roomy() };
    let ran = run("const main = () => new Uint8Array(300 << 20).length", json!({}), most).await.unwrap();
    assert_eq!(ran.output, json!(300 << 20));
}

async fn recursion_ends() {
    for code in [
        "function main() { return main() }",
        "const f = n => 1 + f(n + 1)\nconst main = () => f(0)",
        "function main() { const a = { get b() { return this.b } }; return a.b }",
        "function main() { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a.flat(Infinity)) }",
    ] {
        fails(code, roomy(), Kind::Stack, "too deeply").await;
    }
    let caught = "function main() { try { return main() } catch (e) { return e.name } }";
    assert_eq!(run(caught, json!({}), roomy()).await.unwrap().output, json!("RangeError"));
    let deep = format!("const main = () => {}1{}", "(".repeat(200_000), ")".repeat(200_000));
    let why = error(&deep, roomy()).await;
    assert!(matches!(why.kind, Kind::Stack | Kind::Syntax), "{why:?}");
}

async fn a_flood_of_lines_ends() {
    for code in [
        "function main() { for (;;) console.log('x'.repeat(1000)) }",
        "function main() { for (;;) console.log() }",
        "function main() { for (;;) try { console.log('again') } catch {} }",
        "function main() { console.log('x'.repeat(1 << 20)); return 1 }",
    ] {
        let why = fails(code, roomy(), Kind::Output, "console").await;
        assert!(why.logs.iter().map(|line| line.len() + 1).sum::<usize>() <= 64 << 10);
    }
}

async fn lines_outlive_the_script() {
    for end in ["for (;;) {}", "Array.prototype.includes.call({ length: 2 ** 53 }, 1)", "throw 1", "main()"] {
        // Enough time for the first line, even on a slow machine.
        let limits = Limits { time: Duration::from_secs(2), ..hasty() };
        let why = error(&format!("function main() {{ console.log('before'); {end} }}"), limits).await;
        assert!(why.logs.starts_with(&["before".to_owned()]), "{end}: {why:?}");
    }
}

async fn results_have_limits() {
    fails("const main = () => 'x'.repeat(2 << 20)", roomy(), Kind::Output, "2097154 bytes").await;
    fails("const main = () => { const a = {}; a.a = a; return a }", roomy(), Kind::Output, "circular").await;
    fails("const main = () => ({ n: 10n })", roomy(), Kind::Output, "BigInt").await;
    let deep = "const main = () => { let a = 0; for (let i = 0; i < DEPTH; i++) a = [a]; return a }";
    let at = |depth: &str| deep.replace("DEPTH", depth);
    fails(&at("65"), roomy(), Kind::Output, "65 levels deep").await;
    fails(&at("1e6"), Limits { memory_bytes: 512 << 20, ..roomy() }, Kind::Output, "").await;
    assert!(run(&at("64"), json!({}), roomy()).await.is_ok());
    // Results that the parser does not support are refused regardless of the caller's limits.
    let deepest = Limits { depth: 100_000, ..roomy() };
    fails(&at("121"), deepest, Kind::Output, "121 levels deep").await;
    assert!(run(&at("120"), json!({}), deepest).await.is_ok());
}

async fn what_is_thrown_is_told() {
    for (code, words, line) in [
        (
            "function main() {\n  const a = null\n  return a.b\n}",
            "TypeError: cannot read property 'b' of null",
            Some(3),
        ),
        ("function main() {\n  throw new RangeError('too far')\n}", "RangeError: too far", Some(2)),
        (
            "const f = () => {\n  missing()\n}\nfunction main() { f() }",
            "ReferenceError: missing is not defined",
            Some(2),
        ),
        ("function main() { throw 'a text' }", "thrown: a text", None),
        ("function main() { throw { a: 1 } }", "thrown: {\"a\":1}", None),
        ("function main() { throw null }", "thrown: null", None),
        ("async function main() {\n  await 0\n  throw new Error('later')\n}", "Error: later", Some(3)),
        ("function main() {\n  return Promise.reject(new Error('no'))\n}", "Error: no", Some(2)),
        ("function main() {\n\n  JSON.parse('{')\n}", "SyntaxError: ", Some(3)),
        ("function main() { undeclared = 1 }", "ReferenceError: ", Some(1)),
        ("throw new Error('at once')", "Error: at once", Some(1)),
    ] {
        let why = fails(code, roomy(), Kind::Thrown, words).await;
        assert_eq!(why.line, line, "{code}");
    }
    let long = fails("function main() { throw 'x'.repeat(1e5) }", roomy(), Kind::Thrown, "xxx").await;
    assert!(long.message.len() < 3_000);
}

async fn what_is_no_script_is_told() {
    let why = fails("function main() {\n  return 1 +\n}", roomy(), Kind::Syntax, "SyntaxError").await;
    assert_eq!(why.line, Some(3));
    fails("export default () => 1", roomy(), Kind::Syntax, "SyntaxError").await;
    fails("const x = 1", roomy(), Kind::Syntax, "no function main(inputs)").await;
    fails("const main = 1", roomy(), Kind::Syntax, "no function main(inputs)").await;
    fails("const main = () => '\0'", roomy(), Kind::Syntax, "NUL").await;
    fails("", roomy(), Kind::Syntax, "no function main(inputs)").await;
    let mut script = Script::new("const main = () => 1", fields(json!({})));
    script.entry = "main); evil(".to_owned();
    assert_eq!(sandbox().run(&script, &roomy()).await.unwrap_err().kind, Kind::Syntax);
}

async fn promises_that_never_settle() {
    for code in [
        "const main = () => new Promise(() => {})",
        "async function main() { await new Promise(() => {}); return 1 }",
    ] {
        fails(code, roomy(), Kind::Unsettled, "never settled").await;
    }
}
