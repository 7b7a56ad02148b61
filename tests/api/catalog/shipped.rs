//! The packages that ship with the server: each can be installed and works, as far as the built-in models can show it.

use serde_json::{Value, json};

use super::scene::{PACKAGES, at, id, install, papers, path};
use crate::api::automations::acting::until;
use crate::api::streams::reading::terminal;
use crate::api::workflows::scene::{Run, outputs};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};

async fn answer(client: &Client, assistant: &str, words: &str) -> String {
    let body = json!({"assistant_id": assistant, "messages": [{"role": "user", "content": words}]});
    let answer = client.post("/api/chat/completion", body).await.ok();
    text(&answer["choices"][0]["message"]["content"])
}

#[tokio::test]
async fn shipped_packages_can_be_installed() {
    let server = TestServer::start().await;
    let (editor, admin) = (server.editor(), server.admin());
    let list = admin.get(PACKAGES).await.ok();
    assert!(list.get("faults").is_none(), "{list}");
    // Packages that others require come first.
    let mut ids: Vec<String> =
        list["items"].as_array().expect("items").iter().map(|one| text(&one["id"])).collect();
    ids.sort_by_key(|id| id != "understudy/web-research");
    assert!(ids.len() >= 7, "{ids:?}");
    for package in ids {
        let body = match package.as_str() {
            "understudy/nightly-digest" => json!({"parameters": {"feeds": "https://example.org/feed.xml"}}),
            _ => json!({}),
        };
        let told = editor.post(&at(&package, "validate"), body.clone()).await.ok();
        assert_eq!(told["ok"], true, "{package}: {told}");
        let made = install(&editor, &package, body).await;
        let shown = editor.get(&format!("{PACKAGES}/{package}")).await.ok();
        assert!(shown["readme"].is_string() && shown["license"].is_string(), "{package}");
        for resource in made["resources"].as_array().expect("resources") {
            assert_eq!(resource["state"], "present", "{package}: {resource}");
            let key = text(&resource["key"]);
            let thing = editor.get(&path(&made, &key)).await.ok();
            if resource["type"] == "assistant" && thing["type"] == "chat" {
                assert!(text(&thing["system_prompt"]).len() > 200, "{package} says too little");
                assert!(!thing["conversation_starters"].as_array().expect("a list").is_empty(), "{package}");
                let id = id(&made, &key);
                assert!(
                    !answer(&editor, &id, "What do tides follow? Tides follow the moon.").await.is_empty()
                );
            }
        }
    }
    server.stored().await;
}

#[tokio::test]
async fn support_triage_classifies_and_asks_a_person_if_urgent() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let body = json!({"parameters": {"product": "Boats by mail", "tone": "dry", "review_ms": 3_600_000}});
    let made = install(&editor, "understudy/support-triage", body).await;
    let assistant = id(&made, "assistant");
    let message =
        "I was charged twice: please check the invoices, charges, refunds and prices of order 48213.";
    let run = Run::start(&editor, &assistant, json!({"message": message})).await;
    let out = outputs(&run.events(&editor).await);
    assert_eq!((&out["class"], &out["urgency"]), (&json!("billing"), &json!("low")), "{out}");
    assert_eq!((&out["released_by_person"], out["answer"].is_string()), (&json!(false), true));

    // A message that fits no class is treated as a question and raises no alarm.
    for (message, class) in [
        ("Hello", "question"),
        ("Wie kann ich mein Passwort ändern?", "question"),
        ("The app crashes whenever I open a report.", "outage"),
        ("Please cancel my subscription.", "billing"),
        ("Could you add a dark mode feature?", "request"),
        ("My account was hacked.", "security"),
    ] {
        let run = Run::start(&editor, &assistant, json!({"message": message})).await;
        let kind = run.watch(&editor).await.until("branch.taken").await;
        assert_eq!((&kind["node_id"], &kind["data"]["port"]), (&json!("kind"), &json!(class)), "{message}");
    }

    let message = "It stopped working, no one can log in, errors everywhere, we all stand still! Something that worked before does not work.";
    let run = Run::start(&editor, &assistant, json!({"message": message, "customer": "Ada, 40 seats"})).await;
    let form = run.form(&editor).await;
    assert!(text(&form["message"]).contains("stand still"), "{form}");
    let answered = run.answering(&editor, &form, "send", json!({"answer": "We are on it."}));
    Client::send(answered).await.ok();
    let out = outputs(&run.events(&editor).await);
    assert_eq!((&out["class"], &out["urgency"]), (&json!("outage"), &json!("high")), "{out}");
    assert_eq!((&out["answer"], &out["released_by_person"]), (&json!("We are on it."), &json!(true)));
}

#[tokio::test]
async fn nightly_digest_reads_feeds() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let now = storage::Timestamp::now().to_string();
    let rss = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title>\
         <item><title>Tides &amp; moons</title><link>https://news.example/1</link><description><![CDATA[<p>Tides follow the <b>moon</b>.</p>]]></description><pubDate>{now}</pubDate></item>\
         <item><title>Long ago</title><link>https://news.example/0</link><pubDate>Mon, 06 Sep 2021 00:01:00 GMT</pubDate></item>\
         </channel></rss>"
    );
    let atom = format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><title>Rust</title><link rel=\"alternate\" href=\"https://rust.example/2\"/>\
         <summary>A release.</summary><updated>{now}</updated></entry>\
         <entry><title>The same</title><link href=\"https://news.example/1\"/><updated>{now}</updated></entry></feed>"
    );
    let json_feed = json!({"version": "https://jsonfeed.org/version/1.1", "items": [
        {"id": "3", "url": "https://json.example/3", "title": "Third", "content_text": "Told in JSON.", "date_published": now}]});
    web.always("/rss", Reply::body("application/rss+xml", rss));
    web.always("/atom", Reply::body("application/atom+xml", atom));
    web.always("/json", Reply::json(json_feed));
    web.always("/gone", Reply::status(404));
    web.always("/page", Reply::body("text/html", "<html>No feed.</html>"));
    let paths = ["/rss", "/atom", "/json", "/gone", "/page"].map(|path| web.url(path));
    let parameters = json!({"feeds": paths.join(", "), "hour": 6, "timezone": "Europe/Berlin"});
    let made = install(&editor, "understudy/nightly-digest", json!({"parameters": parameters})).await;
    let automation = editor.get(&path(&made, "automation")).await.ok();
    assert_eq!(
        (&automation["enabled"], &automation["trigger"]["cron"], &automation["trigger"]["timezone"]),
        (&json!(false), &json!("0 6 * * *"), &json!("Europe/Berlin"))
    );
    let started = editor.post(&format!("{}/run", path(&made, "automation")), json!({})).await;
    // Two of the feeds cannot be read, which the run reports.
    let run = until(&editor, &started.expect(202).json(), "partial").await;
    let (conversation, stream) = (text(&run["conversation_id"]), text(&run["stream_id"]));
    let run = Run { assistant: id(&made, "assistant"), conversation, stream };
    let events = run.events(&editor).await;
    let out = outputs(&events);
    let mut titles: Vec<_> =
        out["items"].as_array().expect("items").iter().map(|item| text(&item["title"])).collect();
    titles.sort();
    // Old stories are left out, and a story in two feeds appears once.
    assert_eq!(titles, ["Rust", "Third", "Tides & moons"], "{out}");
    assert_eq!(out["not_reached"], json!([paths[3].clone(), paths[4].clone()]));
    let first =
        out["items"].as_array().expect("items").iter().find(|item| item["link"] == "https://news.example/1");
    assert_eq!(first.expect("the story")["text"], "Tides follow the moon .");
    // If no feed can be read, or the input names none, the run fails instead of producing an empty digest.
    for (feeds, code) in
        [(format!("{} {}", paths[3], paths[4]), "feeds_unreachable"), ("ftp://x".to_owned(), "code")]
    {
        let run = Run::start(&editor, &id(&made, "assistant"), json!({"feeds": feeds})).await;
        let error = terminal(&run.events(&editor).await)["error"].clone();
        assert!(text(&error["code"]).starts_with(code), "{error}");
        assert!(text(&error["message"]).contains(feeds.split(' ').next().unwrap_or_default()), "{error}");
    }
    // The automation is enabled by a parameter.
    let stranger = server.stranger();
    let parameters = json!({"feeds": "https://example.org/feed", "switched_on": true});
    let made = install(&stranger, "understudy/nightly-digest", json!({"parameters": parameters})).await;
    assert!(stranger.get(&path(&made, "automation")).await.ok()["next_run_at"].is_string());
    let wrong = json!({"parameters": {"feeds": "x", "hour": 24, "timezone": "Nowhere"}});
    let refused = server.admin().post(&at("understudy/nightly-digest", "install"), wrong).await;
    assert_eq!(refused.faults(), ["body.parameters.hour"]);
}

#[tokio::test]
async fn web_research_reads_pages() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let page = "<html><head><title>Tides &ndash; a page</title><script>var x = '<a href=\"/no\">no</a>';</script></head><body>\
        <nav><a href=\"/nav\">Navigation</a></nav><main><h1>Tides</h1><p>They follow the moon&nbsp;&mdash; <a href=\"../moon.html#top\">the Moon</a>.</p>\
        <ul><li>High</li><li>Low</li></ul><a href=\"mailto:a@b\">write</a></main><footer>Small print</footer></body></html>";
    web.always("/sea/tides.html", Reply::body("text/html; charset=utf-8", page));
    web.always("/gone", Reply::status(404));
    let skill = install(&editor, "understudy/web-research", json!({})).await;
    let body = json!({"name": "Reader", "skills": [id(&skill, "skill")]});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let call = async |function: &str, arguments: Value| {
        let path = format!("/api/assistants/{assistant}/functions/{function}");
        editor.post(&path, json!({"arguments": arguments})).await
    };
    let url = web.url("/sea/tides.html");
    // Addresses that were not approved cannot be reached.
    let refused = call("read_page", json!({"url": url})).await.problem(500, "function_failed");
    assert!(refused.to_string().contains("web:127.0.0.1"), "{refused}");
    let approve = format!("/api/assistants/{assistant}/approved-external-services");
    editor.put(&approve, json!({"services": ["web:*"]})).await.ok();
    let read = call("read_page", json!({"url": url, "about": "moon"})).await.ok()["result"].clone();
    assert_eq!(read["title"], "Tides – a page");
    assert_eq!(read["text"], "# Tides\nThey follow the moon — the Moon.\n\n- High\n- Low\nwrite");
    let links = read["links"].as_array().expect("links");
    assert!(links.contains(&json!({"text": "the Moon", "url": web.url("/moon.html")})), "{read}");
    assert!(!links.iter().any(|link| text(&link["url"]).starts_with("mailto")), "{read}");
    let found = call("find_links", json!({"url": url, "words": "moon"})).await.ok()["result"].clone();
    assert_eq!(found["links"].as_array().map(Vec::len), Some(1));
    let gone = call("read_page", json!({"url": web.url("/gone")})).await.problem(500, "function_failed");
    assert!(gone.to_string().contains("answers 404"), "{gone}");
    call("read_page", json!({"url": "file:///etc/passwd"})).await.problem(500, "function_failed");
    assert_eq!(call("look_up", json!({"topic": "tides", "language": "EN"})).await.status, 422);
}

#[tokio::test]
async fn handbook_answers_questions() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let made = install(&admin, "understudy/handbook", json!({"visibility": "tenant"})).await;
    assert_eq!(papers(&admin, &id(&made, "handbook")).await.len(), 6);
    let said =
        answer(&server.user(), &id(&made, "guide"), "What does overlap buffer_one do to an automation?")
            .await;
    assert!(said.contains("buffer_one"), "{said}");
}
