//! `prices import`.

use serde_json::Value;

use super::{bad, good, run, serve};
use crate::harness::{Client, TestServer, client};

const TABLE: &str = "/api/tenant-admin/price-table";

#[tokio::test]
async fn prices_import_works_offline_and_with_a_running_server() {
    let server = TestServer::start().await;
    let (url, token) = (server.url(), server.admin().bearer().to_owned());
    let elsewhere = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = elsewhere.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let one = file("one.csv", "model,input_per_million\nacme/large,0.15\nacme/small,0.0375\n");
    let bad_one = file("bad.csv", "model,input_per_million\nacme/large,x\nacme/large,1\n");
    let map = file("map.json", r#"{"a": {"input_cost_per_token": 1e-6}, "b": {"mode": "rerank"}}"#);

    // Into a running server; `--dry-run` needs no server.
    let line = ["prices", "import", one.as_str(), "--url", url.as_str(), "--token", token.as_str()];
    let line = line.map(str::to_owned);
    let dir = elsewhere.path().to_owned();
    let (looked, said) = tokio::task::spawn_blocking(move || {
        let looked = good(&run(&dir, &["prices", "import", &line[2], "--dry-run"]));
        (looked, good(&run(&dir, &line.iter().map(String::as_str).collect::<Vec<_>>())))
    })
    .await
    .unwrap();
    assert!(looked.starts_with("prices of 2 models would be imported"), "{looked}");
    assert!(said.starts_with("prices of 2 models were imported, 0 models have none\n"), "{said}");
    assert!(said.contains("acme/small: input_per_million was rounded up"), "{said}");
    assert_eq!(server.admin().get(TABLE).await.ok()["imported"]["models"], 2);

    // Into a data folder without a server; a faulty table changes nothing.
    let dir = server.stop().await;
    let said = bad(&run(dir.path(), &["prices", "import", &bad_one]), 2);
    assert!(said.contains("line 2: acme/large: input_per_million: is no number"), "{said}");
    assert!(said.contains("line 3: acme/large: this model is listed twice"), "{said}");
    bad(&run(dir.path(), &["prices", "import", "no-such-file"]), 2);
    bad(&run(dir.path(), &["prices", "import", &one, "--format", "json"]), 2);
    let said = good(&run(dir.path(), &["prices", "import", &map]));
    assert_eq!(said, "prices of 1 models were imported, 1 models have none\n");
    let server = serve(dir.path(), &[]);
    let asked = client().get(format!("{}{TABLE}", server.url)).bearer_auth(token);
    let imported = Client::send(asked).await.ok()["imported"].clone();
    assert_eq!((&imported["models"], &imported["imported_by"]), (&Value::from(1), &Value::Null));
}
