//! Listing and showing packages.

use serde_json::json;

use super::scene::{DESK, Desk, PACKAGES, Shop, desk, install, plain};
use crate::harness::text;

#[tokio::test]
async fn package_list_supports_kinds_search_and_pages() {
    let shop = Shop::with_desk().await;
    shop.put("desk-2", &desk("1.1.0", &Desk { prompt: "Be kind.".to_owned(), ..Desk::default() }));
    let user = shop.server.user();
    let ids = |list: serde_json::Value| {
        let items = list["items"].as_array().expect("items").clone();
        items.iter().map(|item| text(&item["id"])).collect::<Vec<_>>()
    };
    let all = user.get(PACKAGES).await.ok();
    assert_eq!(all["total"], ids(all.clone()).len());
    let mut sorted = ids(all.clone());
    sorted.sort();
    assert_eq!(ids(all.clone()), sorted);
    assert!(sorted.len() >= 7 && sorted.contains(&DESK.to_owned()));
    assert!(all.get("faults").is_none(), "only administrators see faults");

    assert_eq!(ids(user.get(&format!("{PACKAGES}?kind=skill")).await.ok()), ["understudy/web-research"]);
    assert_eq!(ids(user.get(&format!("{PACKAGES}?search=DESK%20papers")).await.ok()), [DESK]);
    assert_eq!(ids(user.get(&format!("{PACKAGES}?search=minutes")).await.ok()), ["understudy/meeting-notes"]);
    assert_eq!(ids(user.get(&format!("{PACKAGES}?search=nowhere-at-all")).await.ok()), [""; 0]);
    assert_eq!(user.get(&format!("{PACKAGES}?kind=team")).await.faults(), ["query.kind"]);
    assert_eq!(user.get(&format!("{PACKAGES}?cursor=zz")).await.faults(), ["query.cursor"]);
    assert_eq!(user.get(&format!("{PACKAGES}?cursor=c3c3c3")).await.faults(), ["query.cursor"]);

    let (mut paged, mut next) = (Vec::new(), String::new());
    loop {
        let page = user.get(&format!("{PACKAGES}?limit=2{next}")).await.ok();
        assert_eq!(page["total"], all["total"]);
        paged.extend(ids(page.clone()));
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(paged, sorted);

    let editor = shop.server.editor();
    install(&editor, DESK, json!({"version": "1.0.0"})).await;
    assert_eq!(ids(editor.get(&format!("{PACKAGES}?installed=true")).await.ok()), [DESK]);
    assert!(!ids(editor.get(&format!("{PACKAGES}?installed=false")).await.ok()).contains(&DESK.to_owned()));
    let listed = editor.get(&format!("{PACKAGES}?installed=true")).await.ok();
    let item = &listed["items"][0];
    assert_eq!((&item["version"], &item["versions"]), (&json!("1.1.0"), &json!(["1.1.0", "1.0.0"])));
    assert_eq!(item["installation"]["package_version"], "1.0.0");
    assert_eq!(item["installation"]["update_available"], true);
    // Installations of one user are not shown to others.
    assert_eq!(ids(user.get(&format!("{PACKAGES}?installed=true")).await.ok()), [""; 0]);
}

#[tokio::test]
async fn package_is_shown_with_its_whole_manifest() {
    let shop = Shop::with_desk().await;
    let user = shop.server.user();
    let shown = user.get(&format!("{PACKAGES}/{DESK}")).await.ok();
    assert_eq!((&shown["kind"], &shown["version"]), (&json!("assistant"), &json!("1.0.0")));
    assert_eq!(shown["services"], json!(["data", "web:*"]));
    assert_eq!(shown["manifest"]["parameters"][0]["default"], "Sales");
    assert!(text(&shown["checksum"]).starts_with("sha256:"));
    let files: Vec<_> =
        shown["files"].as_array().expect("files").iter().map(|file| text(&file["path"])).collect();
    assert!(files.contains(&"papers/hours.md".to_owned()) && files.contains(&"package.toml".to_owned()));
    assert_eq!(user.get(&format!("{PACKAGES}/acme%2Fdesk")).await.ok()["checksum"], shown["checksum"]);
    let guide = user.get(&format!("{PACKAGES}/understudy/web-research")).await.ok();
    assert_eq!(guide["source"], "builtin");
    assert!(text(&guide["readme"]).contains("approved-external-services"));

    user.get(&format!("{PACKAGES}/acme/nothing")).await.not_found();
    user.get(&format!("{PACKAGES}/acme/desk?version=2.0.0")).await.not_found();
    user.get(&format!("{PACKAGES}/acme/desk?version=rubbish")).await.not_found();
    assert_eq!(user.get(&format!("{PACKAGES}/acme/desk?version=1.0.0")).await.ok()["version"], "1.0.0");
    // A preview version is not the newest one if there is a release.
    shop.put("desk-next", &desk("2.0.0-rc.1", &Desk::default()));
    let shown = user.get(&format!("{PACKAGES}/{DESK}")).await.ok();
    assert_eq!((&shown["version"], &shown["versions"]), (&json!("1.0.0"), &json!(["2.0.0-rc.1", "1.0.0"])));
    shop.put("preview", &plain("acme/preview", "0.1.0-a.1", ""));
    assert_eq!(user.get(&format!("{PACKAGES}/acme/preview")).await.ok()["version"], "0.1.0-a.1");
}
