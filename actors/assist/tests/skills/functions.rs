//! Tests of function calls and the services that they may use.

use crate::counting_server::{CountingServer, Reply};
use crate::stage::{OWN, Stage, script};
use assist::skills::{Bill, FunctionError};
use runs::Caller;
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

crate::tests![
    arguments_become_a_result,
    arguments_are_held_against_their_schema,
    failures_name_the_authors_line,
    functions_have_limits,
    services_are_asked_for_and_approved,
    requests_go_to_approved_hosts,
    redirects_lead_to_approved_hosts_only,
    answers_are_what_they_are,
    data_is_the_assistants_own,
    knowledge_is_asked_for,
    without_an_assistant_there_is_nothing,
];

async fn arguments_become_a_result() {
    let stage = Stage::new().await;
    let code = script(&[], "host.log('n is', args.n); console.log('two'); return { twice: args.n * 2 }");
    let ran = stage.call(&code, json!({"n": 21})).await.unwrap();
    assert_eq!((ran.result, ran.logs), (json!({"twice": 42}), vec!["n is 21".to_owned(), "two".to_owned()]));
    // A method of its object, which uses other parts of the script.
    let code = "const rate = 3; const functions = { f: { description: 'x', rate: 2, run(a) { return this.rate * rate } } }";
    assert_eq!(stage.result(code, json!({})).await, json!(6));
    // A comment at the end of the script does not swallow the appended code.
    let code = "const functions = { f: { description: 'x', run() { return 1 } } } // end";
    assert_eq!(stage.result(code, json!({})).await, json!(1));
    assert_eq!(stage.result(&script(&[], ""), json!({})).await, Value::Null);
}

async fn arguments_are_held_against_their_schema() {
    let stage = Stage::new().await;
    let code = "const functions = { f: { description: 'x', parameters: { type: 'object', required: ['a', 'b'],
        properties: { a: { type: 'integer' }, c: { type: 'array', items: { type: 'string' } } } }, run() { throw 1 } } }";
    let why = stage.call(code, json!({"a": "x", "c": ["y", 2]})).await.unwrap_err();
    let FunctionError::InvalidArguments(mut faults) = why else { panic!("{why:?}") };
    faults.sort_by(|one, other| one.loc.cmp(&other.loc));
    let places: Vec<_> = faults.iter().map(|fault| fault.loc.join(".")).collect();
    assert_eq!(places, ["", "a", "c.1"]);
    assert!(matches!(stage.call(code, json!([1])).await, Err(FunctionError::InvalidArguments(_))));
    let content = stage.inspected(code).await.content;
    let caller = stage.caller(storage::records::SkillUsableIn::Both);
    let missing = assist::skills::execute(
        &stage.run_context,
        &caller,
        Some(OWN),
        &content,
        "toString",
        &json!({}),
        &Bill::default(),
    )
    .await;
    assert!(matches!(missing, Err(FunctionError::NotFound(_))));
}

async fn failures_name_the_authors_line() {
    let stage = Stage::new().await;
    let code = "const functions = { f: { description: 'x', async run() {\n  console.log('before');\n  \
                await null;\n  throw new TypeError('bad');\n} } }";
    let why = stage.call(code, json!({})).await.unwrap_err();
    assert_eq!(why.code(), "function_failed");
    let expected = FunctionError::Failed {
        message: "TypeError: bad".into(),
        file: "trial.js".into(),
        line: Some(4),
        logs: vec!["before".into()],
    };
    assert_eq!(why, expected);
    // Errors in the appended code have no line number.
    let code = "const functions = { f: { description: 'x', run: function* () { return 1n } } }; functions.f.run = () => 1n";
    let FunctionError::Failed { line, .. } = stage.call(code, json!({})).await.unwrap_err() else {
        panic!("no failure")
    };
    assert_eq!(line, None);
}

async fn functions_have_limits() {
    let stage = Stage::new().await;
    for (body, words) in [
        ("const all = []; for (;;) all.push(new Array(1000).fill(0))", "memory"),
        ("return 'x'.repeat(2 << 20)", "the most is 1048576"),
        ("for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100))", "console"),
        ("return new Promise(() => {})", "never settled"),
        (
            "for (let i = 0; i < 101; i++) await host.search('x').catch(why => { if (/times/.test(why.message)) throw why })",
            "100 times",
        ),
    ] {
        let why = stage.call(&script(&[], body), json!({})).await.expect_err(body);
        assert!(why.code() == "function_failed" && why.to_string().contains(words), "{body}\n{why:?}");
        assert!(!why.to_string().contains("__"), "names of ours mean nothing to the author: {why}");
    }
}

async fn services_are_asked_for_and_approved() {
    let stage = Stage::new().await;
    for (body, service) in [
        ("return host.fetch('http://127.0.0.1:1/')", "web:127.0.0.1:1"),
        ("return host.fetch({ url: 'https://API.example.org/x' })", "web:api.example.org"),
        ("return host.data.query()", "data"),
        ("return host.data.create({})", "data"),
        ("return host.data.update('x', {})", "data"),
        ("return host.data.delete('x')", "data"),
        ("return host.search('x')", "knowledge"),
    ] {
        stage.approve(&["data", "knowledge", "web:*"]).await;
        let why = stage.call(&script(&[], body), json!({})).await.expect_err(body).to_string();
        assert!(why.contains(&format!("does not ask for the service `{service}`")), "{body}\n{why}");
        stage.approve(&[]).await;
        let asks = script(&["data", "knowledge", "web:*"], body);
        let why = stage.call(&asks, json!({})).await.expect_err(body).to_string();
        assert!(why.contains(&format!("the service `{service}` is not approved")), "{body}\n{why}");
    }
}

async fn requests_go_to_approved_hosts() {
    let (stage, server, other) =
        (Stage::new().await, CountingServer::start().await, CountingServer::start().await);
    let host = |server: &CountingServer| {
        let url = server.url("/");
        format!("web:{}", url.trim_start_matches("http://").trim_end_matches('/'))
    };
    let body = format!(
        "const ask = url => host.fetch(url).then(it => it.status, why => why.message);\n\
         return Promise.all([ask('{}'), ask('{}')])",
        server.url("/a"),
        other.url("/b")
    );
    let refused = format!("the service `{}` is not approved for this assistant", host(&other));
    // The first host is named by both lists; the second one by one of them, or by none.
    for (requested, approved) in [
        (vec![host(&server), host(&other)], vec![host(&server)]),
        (vec!["web:*".into()], vec![host(&server)]),
    ] {
        let approved: Vec<&str> = approved.iter().map(String::as_str).collect();
        stage.approve(&approved).await;
        let requested: Vec<&str> = requested.iter().map(String::as_str).collect();
        assert_eq!(stage.result(&script(&requested, &body), json!({})).await, json!([200, refused]));
    }
    stage.approve(&["web:*"]).await;
    let requested = host(&server);
    let result = stage.result(&script(&[requested.as_str()], &body), json!({})).await;
    assert_eq!(result[0], json!(200));
    assert!(result[1].as_str().unwrap().contains("does not ask for"), "{result}");
    assert_eq!(other.count("/b"), 0);
    assert_eq!(stage.result(&script(&["web:*"], &body), json!({})).await, json!([200, 200]));
    assert_eq!(other.count("/b"), 1);
    // The web client's own guard applies, whatever is approved.
    let inward = script(&["web:*"], "return host.fetch('http://127.0.0.2:1/')");
    assert!(stage.call(&inward, json!({})).await.is_err());
}

async fn redirects_lead_to_approved_hosts_only() {
    let (stage, server, other) =
        (Stage::new().await, CountingServer::start().await, CountingServer::start().await);
    let here = format!("web:{}", server.url("").trim_start_matches("http://").trim_end_matches('/'));
    server.always("/near", Reply::redirect(302, &server.url("/end")));
    server.always("/far", Reply::redirect(302, &other.url("/end")));
    stage.approve(&[&here]).await;
    let body = format!(
        "const near = await host.fetch('{}');\n\
         const far = await host.fetch('{}').catch(why => why.message);\nreturn [near.status, near.body.path, far]",
        server.url("/near"),
        server.url("/far")
    );
    let result = stage.result(&script(&[&here], &body), json!({})).await;
    assert_eq!((&result[0], &result[1]), (&json!(200), &json!("/end")));
    assert!(result[2].as_str().unwrap().contains("may not connect to the host"), "{result}");
    assert_eq!(other.count("/end"), 0);
    stage.approve(&["web:*"]).await;
    let result = stage.result(&script(&["web:*"], &body), json!({})).await;
    assert_eq!(result[2]["status"], json!(200));
}

async fn answers_are_what_they_are() {
    let (stage, server) = (Stage::new().await, CountingServer::start().await);
    stage.approve(&["web:*"]).await;
    server.always("/text", Reply::body("text/plain", "hi").header("x-one", "1"));
    server.always("/bad", Reply::status(503));
    server.always("/large", Reply::body("text/plain", vec![b'x'; (1 << 20) + 1]));
    let body = "const [post, text, bad, large, none] = await Promise.all([
            host.fetch({ method: 'post', url: args.url + 'echo', query: { q: ['a', 'b c'] }, headers: { 'x-a': 'b' }, body: { n: 1 } }),
            host.fetch(args.url + 'text'),
            host.fetch(args.url + 'bad'),
            host.fetch(args.url + 'large').catch(why => why.message),
            host.fetch({ url: 'no address' }).catch(why => why.message),
        ]);
        return [post.status, text.body, text.headers['x-one'], bad.status, large, none]";
    let url = server.url("/");
    let result = stage.result(&script(&["web:*"], body), json!({"url": url})).await;
    let large = "the answer is larger than 1048576 bytes";
    let none = "fetch({url}) wants the address of a server";
    assert_eq!(result, json!([200, "hi", "1", 503, large, none]));
    let seen = server.seen().into_iter().find(|seen| seen.method == "POST").expect("a request");
    assert_eq!(seen.json(), json!({"n": 1}));
    // A function that waits for a server that never responds is terminated when its caller stops waiting.
    server.always("/hang", Reply::hang());
    let code = script(&["web:*"], "return host.fetch(args.url + 'hang')");
    let waiting =
        tokio::time::timeout(Duration::from_millis(1_500), stage.call(&code, json!({"url": url}))).await;
    assert!(waiting.is_err());
    let gone = async {
        while server.open() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("the connection is shut");
}

async fn data_is_the_assistants_own() {
    let stage = Stage::new().await;
    stage.approve(&["data"]).await;
    stage
        .change(|assistant| {
            assistant.data_schema = Some(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
        })
        .await;
    let body = "
        const made = await Promise.all([3, 1, 2].map(n => host.data.create({ n, tag: 'x' }, { metadata: { by: 'f' } })));
        const one = made.find(it => it.data.n === 1);
        const changed = await host.data.update(one.id, { n: 10 }, { merge: true, version: one.version });
        const why = [];
        await host.data.create({ n: 'x' }).catch(it => why.push(it.message));
        await host.data.update(one.id, { n: 0 }, { version: one.version }).catch(it => why.push(it.message));
        await host.data.update('00000000-0000-0000-0000-000000000000', {}).catch(it => why.push(it.message));
        await host.data.query({ filter: [{ field: 'n', op: 'like', value: 1 }] }).catch(it => why.push(it.message));
        const gone = [await host.data.delete(made[0].id), await host.data.delete(made[0].id)];
        const left = await host.data.query({ filter: { field: 'tag', value: 'x' }, order_by: '-n', limit: 1 });
        const next = await host.data.query({ order_by: '-n', limit: 1, filter: { field: 'tag', value: 'x' }, cursor: left.next_cursor });
        return { changed: changed.data, by: changed.metadata.by, why, gone,
            left: [...left.items, ...next.items].map(it => it.data.n), end: next.next_cursor }";
    let result = stage.result(&script(&["data"], body), json!({})).await;
    assert_eq!(result["changed"], json!({"n": 10, "tag": "x"}));
    assert_eq!((&result["by"], &result["gone"]), (&json!("f"), &json!([true, false])));
    assert_eq!((&result["left"], &result["end"]), (&json!([10, 2]), &Value::Null));
    let why = result["why"].as_array().unwrap();
    for (why, words) in why.iter().zip(["data.n: ", "in the meantime", "no such data item", "filter.0.op"]) {
        assert!(why.as_str().unwrap().contains(words), "{why}");
    }
    assert_eq!(why.len(), 4);
}

async fn knowledge_is_asked_for() {
    let stage = Stage::new().await;
    stage.approve(&["knowledge"]).await;
    let code = script(&["knowledge"], "return host.search('anything', { limit: 3 })");
    assert_eq!(stage.result(&code, json!({})).await, json!([]));
    let code = script(&["knowledge"], "return host.search('  ')");
    assert!(stage.call(&code, json!({})).await.unwrap_err().to_string().contains("wants a text"));
}

async fn without_an_assistant_there_is_nothing() {
    let stage = Stage::new().await;
    stage.approve(&["data"]).await;
    let content = stage.inspected(&script(&["data"], "return host.data.query()")).await.content;
    let own = stage.caller(storage::records::SkillUsableIn::Both);
    let without_assistant = Caller { assistant_id: None, ..own };
    let nothing = json!({});
    let call = async |caller: Caller, skill: Option<Uuid>| {
        let ran = assist::skills::execute(
            &stage.run_context,
            &caller,
            skill,
            &content,
            "f",
            &nothing,
            &Bill::default(),
        )
        .await;
        ran.map(|_| ()).map_err(|why| why.to_string())
    };
    assert_eq!(call(own, Some(OWN)).await, Ok(()));
    // Also not for a skill that does not belong to the assistant.
    for (caller, skill) in [(without_assistant, Some(OWN)), (own, None), (own, Some(Uuid::from_u128(10)))] {
        let why = call(caller, skill).await.expect_err("a refusal");
        assert!(why.contains("`data` is not approved"), "{why}");
    }
}
