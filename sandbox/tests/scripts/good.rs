//! What scripts can do, and the environment that they find.

use crate::support::{fields, result, roomy, run, sandbox};
use sandbox::{Limits, Script};
use serde_json::{Value, json};

crate::tests![
    inputs_become_a_result,
    every_way_to_write_main,
    promises_are_waited_for,
    results_follow_json_stringify,
    texts_stay_what_they_are,
    the_console_is_heard,
    there_is_nothing_but_the_language,
    scripts_do_not_meet,
    large_values_pass,
];

async fn inputs_become_a_result() {
    let code =
        "function main({ a, b, names }) { return { sum: a + b, all: names.map(n => n.toUpperCase()) }; }";
    let ran = run(code, json!({"a": 2, "b": 3, "names": ["x", "é"]}), roomy()).await.unwrap();
    assert_eq!(ran.output, json!({"sum": 5, "all": ["X", "É"]}));
    assert_eq!(ran.logs, Vec::<String>::new());
}

async fn every_way_to_write_main() {
    for code in [
        "function main() { return 1 }",
        "const main = () => 1",
        "let main = function () { return 1 }",
        "var main = async () => 1",
        "globalThis.main = () => 1",
        "async function main() { return 1 }",
        "class K { static f() { return 1 } }\nconst main = K.f",
    ] {
        assert_eq!(result(code).await, json!(1), "{code}");
    }
}

async fn promises_are_waited_for() {
    let code = "const later = x => Promise.resolve(x)
        async function main() { const all = await Promise.all([later(1), later(2)]); return await later(all) }";
    assert_eq!(result(code).await, json!([1, 2]));
    let like_a_promise = "function main() { return { then(resolve) { resolve(7) } } }";
    assert_eq!(result(like_a_promise).await, json!(7));
}

async fn results_follow_json_stringify() {
    for (expression, expected) in [
        ("undefined", json!(null)),
        ("() => 1", json!(null)),
        ("Symbol('s')", json!(null)),
        ("NaN", json!(null)),
        ("-Infinity", json!(null)),
        ("[undefined, () => 1, NaN, 1]", json!([null, null, null, 1])),
        ("({ a: undefined, b() {}, c: null })", json!({"c": null})),
        ("new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("new Map([[1, 2]])", json!({})),
        ("new Set([1])", json!({})),
        ("[...new Map([['k', 2]])]", json!([["k", 2]])),
        ("({ toJSON() { return 'own' } })", json!("own")),
        ("[1, 1.5, -0, 1e21, 2 ** 53]", json!([1, 1.5, 0, 1e21, 9_007_199_254_740_992_u64])),
        ("new Uint8Array([1, 2])", json!({"0": 1, "1": 2})),
        ("Object.assign(Object.create({ inherited: 1 }), { own: 2 })", json!({"own": 2})),
        ("new Error('e')", json!({})),
    ] {
        assert_eq!(result(&format!("const main = () => ({expression})")).await, expected, "{expression}");
    }
}

async fn texts_stay_what_they_are() {
    let code = "function main(i) { return { ...i, half: '\\ud800|', low: 'a\\udc00', pair: '\\ud83d\\ude00', esc: '\\\\ud800' } }";
    let text = "line\nquote\" back\\slash \u{0}\u{1f} é 漢 😀 \u{2028}";
    let ran = run(code, json!({"text": text, "__proto__": 5}), roomy()).await.unwrap();
    let expected = json!({
        "text": text, "__proto__": 5, "half": "\u{fffd}|", "low": "a\u{fffd}", "pair": "😀", "esc": "\\ud800"
    });
    assert_eq!(ran.output, expected);
}

async fn the_console_is_heard() {
    let code = "function main() {
        console.log('a', 1, true, null, undefined); console.info({ b: [1] }); console.warn(new TypeError('t'))
        console.error(); console.debug(Symbol('x'), 10n, x => x); const c = {}; c.c = c; console.log(c) }";
    let ran = run(code, json!({}), roomy()).await.unwrap();
    let expected = [
        "a 1 true null undefined",
        r#"{"b":[1]}"#,
        "TypeError: t",
        "",
        "Symbol() 10 x => x",
        "[object Object]",
    ];
    assert_eq!(ran.logs, expected);
}

async fn there_is_nothing_but_the_language() {
    let names = [
        "require",
        "process",
        "fetch",
        "setTimeout",
        "std",
        "os",
        "Deno",
        "print",
        "XMLHttpRequest",
        "performance",
    ];
    for name in names {
        let code = format!("const main = () => typeof {name}");
        assert_eq!(result(&code).await, json!("undefined"), "{name}");
    }
    let import = "async function main() { try { return await import('std') } catch (e) { return 'none' } }";
    assert_eq!(result(import).await, json!("none"));
    let there = "const main = () => [typeof Math.random(), typeof Date.now(), typeof JSON, typeof RegExp, typeof BigInt]";
    assert_eq!(result(there).await, json!(["number", "number", "object", "function", "function"]));
}

async fn scripts_do_not_meet() {
    let sandbox = sandbox();
    let code = "globalThis.seen = (globalThis.seen ?? 0) + 1; Object.prototype.left = 'here'
        const main = i => ({ seen, n: i.n })";
    for n in 0..4 {
        let ran = sandbox.run(&Script::new(code, fields(json!({"n": n}))), &roomy()).await.unwrap();
        assert_eq!(ran.output["seen"], json!(1));
        assert_eq!(ran.output["n"], json!(n));
    }
    let clean = Script::new("const main = () => ({}).left === undefined", fields(json!({})));
    assert_eq!(sandbox.run(&clean, &roomy()).await.unwrap().output, json!(true));
}

async fn large_values_pass() {
    let items: Vec<Value> = (0..20_000).map(|n| json!({"n": n, "text": "some words of no weight"})).collect();
    let limits = Limits { output_bytes: 8 << 20, ..roomy() };
    let ran = run("const main = i => i.items", json!({"items": items}), limits).await.unwrap();
    assert_eq!(ran.output, Value::Array(items));
}
