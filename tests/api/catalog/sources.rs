//! Sources of packages: folders that change, an index, and the faults of either.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::scene::{DESK, Desk, PACKAGES, Shop, at, desk, install, plain, put};
use crate::api::skills::scene::archive;
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text, until};

/// Returns the faults of the sources by package.
async fn faults(client: &Client) -> Value {
    let list = client.get(&format!("{PACKAGES}?limit=1")).await.ok();
    let faults = list["faults"].as_array().cloned().unwrap_or_default();
    Value::Object(faults.iter().map(|fault| (text(&fault["place"]), fault["faults"][0].clone())).collect())
}

async fn known(client: &Client, package: &str) -> bool {
    client.get(&format!("{PACKAGES}/{package}")).await.status == 200
}

fn zip(files: &[(String, String)]) -> Vec<u8> {
    archive(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[tokio::test]
async fn package_folder_is_read_again_when_it_changes() {
    let shop = Shop::open().await;
    let (admin, editor) = (shop.server.admin(), shop.server.editor());
    assert!(!known(&editor, DESK).await);
    shop.put("teams/office/desk", &desk("1.0.0", &Desk::default()));
    assert!(known(&editor, DESK).await, "a nested folder");
    let checksum = editor.get(&format!("{PACKAGES}/{DESK}")).await.ok()["checksum"].clone();
    shop.put("teams/office/desk", &[("prompt.md".to_owned(), "Other.".to_owned())]);
    assert_ne!(editor.get(&format!("{PACKAGES}/{DESK}")).await.ok()["checksum"], checksum);
    // An archive contains the same package as a folder.
    fs::write(shop.folder.path().join("desk-2.zip"), zip(&desk("1.1.0", &Desk::default()))).expect("a file");
    shop.put("desk-2", &desk("1.1.0", &Desk::default()));
    assert_eq!(faults(&admin).await, json!({}));
    let shown = editor.get(&format!("{PACKAGES}/{DESK}")).await.ok();
    assert_eq!(shown["versions"], json!(["1.1.0", "1.0.0"]));
    fs::remove_dir_all(shop.folder.path().join("teams")).expect("removed");
    let shown = editor.get(&format!("{PACKAGES}/{DESK}")).await.ok();
    assert_eq!(shown["versions"], json!(["1.1.0"]));
    install(&editor, DESK, json!({})).await;
    // An installation stays when its package is gone.
    fs::remove_dir_all(shop.folder.path().join("desk-2")).expect("removed");
    fs::remove_file(shop.folder.path().join("desk-2.zip")).expect("removed");
    assert!(!known(&editor, DESK).await);
    let shown = super::scene::installed(&editor, DESK).await;
    assert_eq!(shown["package_version"], "1.1.0");
    super::scene::papers(&editor, &super::scene::id(&shown, "papers")).await;
    fs::remove_dir_all(shop.folder.path()).expect("removed");
    assert!(known(&editor, "understudy/web-research").await, "shipped packages do not need the folder");
    assert!(faults(&admin).await[""].as_str().is_some_and(|fault| fault.contains("cannot be read")));
    fs::create_dir(shop.folder.path()).expect("a folder");
}

#[tokio::test]
async fn faulty_packages_are_reported_and_do_not_hide_others() {
    let shop = Shop::with_desk().await;
    let (admin, editor) = (shop.server.admin(), shop.server.editor());
    let bad = |place: &str, manifest: &str| {
        shop.put(place, &[("package.toml".to_owned(), manifest.to_owned())]);
    };
    bad("no-toml", "id = ");
    let head = |id: &str| {
        format!(
            "id = \"{id}\"\nversion = \"1.0.0\"\nkind = \"assistant\"\nname = \"A\"\ndescription = \"A.\"\n"
        )
    };
    let thing = "[[resources]]\nkey = \"it\"\ntype = \"assistant\"\n[resources.fields]\nname = \"A\"\n";
    bad("no-id", &format!("{}{thing}", head("Nothing")));
    bad("no-resources", &format!("{}resources = []\n", head("acme/empty")));
    bad("other-field", &format!("{}{thing}grants = []\n", head("acme/grants")));
    bad(
        "no-file",
        &format!("{}{thing}system_prompt = {{ \"$file\" = \"../../etc/passwd\" }}\n", head("acme/file")),
    );
    bad("forward", &format!("{}{thing}skills = [{{ \"$resource\" = \"later\" }}]\n", head("acme/forward")));
    bad("unknown", &format!("{}strange = 1\n{thing}", head("acme/strange")));
    bad("other-kind", &format!("{}{thing}type = \"workflow\"\n", head("acme/flow")));
    fs::write(shop.folder.path().join("broken.zip"), b"PK\x03\x04 and then nothing").expect("a file");
    let evil = zip(&[("../evil".to_owned(), "x".to_owned()), ("package.toml".to_owned(), head("acme/evil"))]);
    fs::write(shop.folder.path().join("evil.zip"), evil).expect("a file");
    let bomb = "0".repeat(11 << 20);
    let bomb = zip(&[("bomb".to_owned(), bomb), ("package.toml".to_owned(), head("acme/bomb"))]);
    fs::write(shop.folder.path().join("bomb.zip"), bomb).expect("a file");
    shop.put("linked", &plain("acme/linked", "1.0.0", ""));
    symlink("/etc/hostname", shop.folder.path().join("linked/host")).expect("a link");
    // Different content for a version that already exists.
    shop.put("second", &desk("1.0.0", &Desk { prompt: "Other.".to_owned(), ..Desk::default() }));

    let told = faults(&admin).await;
    for (place, words) in [
        ("no-toml", "line 1"),
        ("no-id", "publisher/name"),
        ("no-resources", "1 to 20"),
        ("other-field", "grants"),
        ("no-file", "there is no file"),
        ("forward", "later"),
        ("unknown", "strange"),
        ("other-kind", "workflow"),
        ("broken.zip", "cannot be read"),
        ("evil.zip", "inwards"),
        ("bomb.zip", "bytes"),
        ("linked", "outside the folder"),
        ("second", "other content"),
    ] {
        assert!(told[place].as_str().is_some_and(|fault| fault.contains(words)), "{place}: {told}");
    }
    assert_eq!(told.as_object().map(serde_json::Map::len), Some(13), "{told}");
    install(&editor, DESK, json!({})).await;
    assert!(editor.get(PACKAGES).await.ok().get("faults").is_none());
}

fn entry(id: &str, version: &str, checksum: &Value, more: Value) -> Value {
    let mut entry = json!({"id": id, "version": version, "checksum": checksum});
    entry.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    entry
}

/// Returns the checksum of a package, as a server computes it that has the package in a folder.
async fn checksum(files: &[(String, String)], id: &str) -> Value {
    let shop = Shop::open().await;
    shop.put("it", files);
    shop.server.editor().get(&format!("{PACKAGES}/{id}")).await.ok()["checksum"].clone()
}

#[tokio::test]
async fn index_can_be_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (plain("acme/one", "1.0.0", ""), plain("acme/two", "2.0.0", ""));
    put(folder.path(), "packages/one", &one);
    put(folder.path(), "packages/two", &two);
    let (first, second) = (checksum(&one, "acme/one").await, checksum(&two, "acme/two").await);
    let path = folder.path().join("index.json");
    let write = |entries: Vec<Value>| {
        fs::write(&path, json!({"packages": entries}).to_string()).expect("a file");
    };
    let place = path.display().to_string();
    let server = TestServer::start_with(|config| config.catalog.index = Some(place)).await;
    let (admin, editor) = (server.admin(), server.editor());
    assert!(faults(&admin).await[""].as_str().is_some_and(|fault| fault.contains("cannot be read")));
    write(vec![
        entry("acme/one", "1.0.0", &first, json!({"path": "packages/one"})),
        entry("acme/two", "2.0.0", &first, json!({"path": "packages/two"})),
        entry("acme/three", "1.0.0", &first, json!({"path": "../../etc"})),
        entry("acme/four", "1.0.0", &first, json!({})),
    ]);
    let told = faults(&admin).await;
    // Both checksums are named, so that an administrator can find out which one is right.
    let wrong = text(&told["acme/two 2.0.0"]);
    assert!(wrong.contains(&text(&first)) && wrong.contains(&text(&second)), "{wrong}");
    assert!(told["acme/three 1.0.0"].is_string() && told["acme/four 1.0.0"].is_string(), "{told}");
    assert!(known(&editor, "acme/one").await && !known(&editor, "acme/two").await);
    install(&editor, "acme/one", json!({})).await;
    editor.post(&at("acme/two", "install"), json!({})).await.not_found();
    // A corrected index is read without a restart. One that does not parse leaves the previous packages in place.
    write(vec![entry("acme/two", "2.0.0", &second, json!({"path": "packages/two"}))]);
    assert!(known(&editor, "acme/two").await && !known(&editor, "acme/one").await);
    fs::write(&path, "{").expect("a file");
    assert!(known(&editor, "acme/two").await);
    assert!(faults(&admin).await[""].as_str().is_some_and(|fault| fault.contains("not a valid index")));
}

#[tokio::test]
async fn index_can_be_fetched_over_http() {
    let web = CountingServer::start().await;
    let (one, two) = (plain("acme/one", "1.0.0", ""), plain("acme/two", "2.0.0", ""));
    let (first, second) = (checksum(&one, "acme/one").await, checksum(&two, "acme/two").await);
    let listed = json!({"packages": [
        // It shares the checksum of another package, which can still be fetched.
        entry("acme/dead", "1.0.0", &first, json!({"url": "/dead.zip"})),
        entry("acme/one", "1.0.0", &first, json!({"url": "packages/one.zip"})),
        entry("acme/two", "2.0.0", &second, json!({"url": web.url("/two.zip")})),
        entry("acme/large", "1.0.0", &json!("sha256:0"), json!({"url": "/large.zip"})),
        entry("acme/inside", "1.0.0", &json!("sha256:1"), json!({"url": "http://10.0.0.1/inside.zip"})),
    ]});
    web.always("/shelf/index.json", Reply::json(listed));
    web.always("/shelf/packages/one.zip", Reply::body("application/zip", zip(&one)));
    web.always("/large.zip", Reply::body("application/zip", vec![0; (5 << 20) + 1]));
    web.script("/two.zip", [Reply::status(503)]);
    web.always("/dead.zip", Reply::status(410));
    let index = web.url("/shelf/index.json");
    let server = TestServer::start_with(|config| config.catalog.index = Some(index)).await;
    let (admin, editor) = (server.admin(), server.editor());
    // Requests do not wait until every package has been fetched.
    until("all is fetched", async || !faults(&admin).await.to_string().contains("being fetched")).await;
    let told = faults(&admin).await;
    assert!(text(&told["acme/two 2.0.0"]).contains("503"), "{told}");
    assert!(text(&told["acme/large 1.0.0"]).contains("larger than"), "{told}");
    assert!(text(&told["acme/dead 1.0.0"]).contains("410"), "{told}");
    let dead = format!("{PACKAGES}/acme/dead");
    assert!(
        admin.get(&dead).await.problem(404, "not_found").to_string().contains("410"),
        "administrators see the reason"
    );
    assert!(!editor.get(&dead).await.problem(404, "not_found").to_string().contains("410"));
    // Addresses in the server's own network are not fetched.
    assert!(told["acme/inside 1.0.0"].is_string(), "{told}");
    install(&editor, "acme/one", json!({})).await;
    assert!(known(&editor, "acme/one").await);
    // Each address is fetched once, and a failed one is not retried for a while.
    assert_eq!((web.count("/shelf/index.json"), web.count("/shelf/packages/one.zip")), (1, 1));
    assert_eq!(web.count("/two.zip"), 1);
}

#[tokio::test]
async fn index_that_does_not_respond_does_not_affect_other_packages() {
    let web = CountingServer::start().await;
    web.always("/index.json", Reply::hang_up());
    let index = web.url("/index.json");
    let server = TestServer::start_with(|config| config.catalog.index = Some(index)).await;
    let editor = server.editor();
    assert!(known(&editor, "understudy/web-research").await);
    install(&editor, "understudy/meeting-notes", json!({})).await;
    assert!(faults(&server.admin()).await[""].is_string());
    assert_eq!(web.count("/index.json"), 1);
}

#[tokio::test]
async fn index_that_hangs_does_not_delay_requests() {
    let web = CountingServer::start().await;
    web.always("/index.json", Reply::hang());
    let index = web.url("/index.json");
    let server = TestServer::start_with(|config| config.catalog.index = Some(index)).await;
    let editor = server.editor();
    for _ in 0..3 {
        assert!(known(&editor, "understudy/web-research").await);
        assert_eq!(web.busy(), 1, "the request was answered before the index");
    }
    assert_eq!(web.count("/index.json"), 1);
}

#[tokio::test]
async fn package_of_the_documentation_can_be_installed() {
    let shop = Shop::open().await;
    let (admin, editor) = (shop.server.admin(), shop.server.editor());
    let page = include_str!("../../../docs/catalog.md");
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut files = desk("1.0.0", &Desk::default());
    files.retain(|(path, _)| path != "package.toml");
    files.push(("package.toml".to_owned(), block.expect("an example").to_owned()));
    shop.put("documented", &files);
    assert_eq!(faults(&admin).await, json!({}));
    install(&editor, "understudy/web-research", json!({})).await;
    let made = install(&editor, DESK, json!({"parameters": {"team": "Bakery"}})).await;
    let clerk = editor.get(&super::scene::path(&made, "clerk")).await.ok();
    assert_eq!(clerk["conversation_starters"], json!(["What does Bakery sell?"]));
    super::scene::papers(&editor, &super::scene::id(&made, "papers")).await;
    // The packages in the table of the documentation are those that ship.
    let list = admin.get(&format!("{PACKAGES}?limit=200&search=understudy/")).await.ok();
    for item in list["items"].as_array().expect("items") {
        assert!(page.contains(&format!("| `{}` |", text(&item["id"]))), "{item}");
    }
}
