//! Tests of the inspection of scripts.

use crate::stage::{Stage, archive};
use assist::skills::{InspectError, bundle, inspect};
use sandbox::{Sandbox, SandboxConfig};
use serde_json::json;
use storage::records::SkillUsableIn;

crate::tests![
    scripts_tell_their_functions,
    a_script_alone_tells_its_skill,
    faults_are_told_all_at_once,
    no_sandbox_no_skill
];

const HEAD: &[u8] = b"---\nname: Tax\ndescription: Reckons.\nservices: [data]\n---\nAdd.";

async fn scripts_tell_their_functions() {
    let stage = Stage::new().await;
    let files: &[(&str, &[u8])] = &[
        ("SKILL.md", HEAD),
        ("b.js", b"const functions = { third: { description: ' c ', run: async () => 1 } } // the end"),
        (
            "a.js",
            b"const functions = {\n first: { description: 'a', parameters: { type: 'object', properties: \
              { n: { type: 'number' } } }, run({ n }) { return n } },\n second: { description: 'b', run() {} } }",
        ),
        ("node.js", b"const fs = require('fs'); module.exports = fs"),
        ("notes.txt", b"functions"),
    ];
    let read = bundle::read("tax.zip", &archive(files)).unwrap();
    let inspected = inspect(&stage.run_context.sandbox, read).await.unwrap();
    assert_eq!((inspected.name.as_str(), inspected.usable_in), ("Tax", SkillUsableIn::Both));
    let content = inspected.content;
    assert_eq!((content.instructions.as_str(), content.services), ("Add.", vec!["data".to_owned()]));
    let functions: Vec<_> =
        content.functions.iter().map(|it| (&*it.name, &*it.description, &*it.file)).collect();
    assert_eq!(functions, [("first", "a", "a.js"), ("second", "b", "a.js"), ("third", "c", "b.js")]);
    assert_eq!(content.functions[0].parameters["properties"], json!({"n": {"type": "number"}}));
    assert_eq!(content.functions[1].parameters["type"], json!("object"));
    assert_eq!(content.files.len(), 5);
}

async fn a_script_alone_tells_its_skill() {
    let stage = Stage::new().await;
    let plain = stage.inspected("const functions = { f: { description: 'It adds.', run() {} } }").await;
    assert_eq!((plain.name.as_str(), plain.description.as_str()), ("trial", "It adds."));
    let draft = stage
        .inspected(
            "const skill = { name: 'Adder', description: 'Adds', instructions: '  Add! ', usable_in: 'workflow', \
             services: ['web:*'], version: 3 };\nconst functions = { f: { description: 'x', run() {} } }",
        )
        .await;
    assert_eq!((draft.name.as_str(), draft.description.as_str()), ("Adder", "Adds"));
    assert_eq!(draft.content.instructions, "Add!");
    assert_eq!(
        (draft.usable_in, draft.content.services),
        (SkillUsableIn::Workflow, vec!["web:*".to_owned()])
    );
}

async fn faults_are_told_all_at_once() {
    let stage = Stage::new().await;
    for (code, words) in [
        ("const x = ;", "x.js, line 1: SyntaxError"),
        ("const functions = {}\n\nfunction (", "x.js, line 3: SyntaxError"),
        ("let a = 1;\nthrow new Error('no')", "x.js, line 2: Error: no"),
        ("for (;;) {} // functions", "longer than"),
        ("const all = []; for (;;) all.push(new Array(1000)) // functions", "memory"),
        ("1", "declares no `functions`"),
        ("const functions = []", "has to be an object of functions"),
        ("const functions = () => 1", "has to be an object of functions"),
        ("const functions = { get f() { throw new Error('trap') } }", "trap"),
        ("const functions = { f: 1 }", "\"f\" lacks a `description`; x.js: the function \"f\" lacks `run`"),
        ("const functions = { 'a-b': { description: 'x', run() {} } }", "\"a-b\" needs a name of"),
        (
            "const functions = { f: { description: 'x', parameters: 3, run() {} } }",
            "`parameters` that are no object",
        ),
        (
            "const functions = { f: { description: 'x', parameters: { type: 'array' }, run() {} } }",
            "`type` is not",
        ),
        (
            "const functions = { f: { description: 'x', parameters: { type: 'objekt' }, run() {} } }",
            "no JSON Schema",
        ),
        (
            "const functions = { f: { description: 'x', parameters: { type: 'object', $ref: 'http://127.0.0.1/' }, \
             run() {} } }",
            "no JSON Schema",
        ),
        (
            "const functions = { f: { description: 'x', parameters: { type: 'object', x: 'x'.repeat(33000) }, \
             run() {} } }",
            "more than 32768 bytes",
        ),
        (
            "const functions = Object.fromEntries([...Array(51).keys()].map(i => ['f' + i, { description: 'x', \
             run() {} }]))",
            "the most is 50",
        ),
        (
            "const skill = 3; const functions = { f: { description: 'x', run() {} } }",
            "`skill` has to be an object",
        ),
        (
            "const skill = { name: 3, services: ['mail'] }; const functions = { f: { description: 'x', run() {} } }",
            "`skill.name` has to be a text",
        ),
        (
            "const skill = { services: ['mail'] }; const functions = { f: { description: 'x', run() {} } }",
            "is no service",
        ),
    ] {
        let read = bundle::read("x.js", code.as_bytes()).unwrap();
        let why = inspect(&stage.run_context.sandbox, read).await.expect_err(code).to_string();
        assert!(why.contains(words), "{code}\n{why}");
    }
    let files: &[(&str, &[u8])] = &[
        ("SKILL.md", HEAD),
        ("a.js", b"const functions = { f: { description: 'x', run() {} }, g: {} }"),
        ("b.js", b"const functions = { f: { description: 'x', run() {} } }"),
        ("c.js", b"functions("),
    ];
    let read = bundle::read("x.zip", &archive(files)).unwrap();
    let Err(InspectError::Faults(faults)) = inspect(&stage.run_context.sandbox, read).await else {
        panic!("no faults")
    };
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["a.js", "a.js", "c.js", "b.js"], "{faults:?}");
}

async fn no_sandbox_no_skill() {
    let sandbox =
        Sandbox::new(SandboxConfig { program: Some("/nowhere".into()), ..SandboxConfig::default() });
    let read = bundle::read("x.js", b"const functions = {}").unwrap();
    assert!(matches!(inspect(&sandbox, read).await, Err(InspectError::Unavailable(_))));
}
