//! Packages in a folder, and servers that read it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Answer, Client, TestServer, text};

pub const PACKAGES: &str = "/api/catalog/packages";
pub const INSTALLATIONS: &str = "/api/catalog/installations";
/// The package that most tests use.
pub const DESK: &str = "acme/desk";

/// A server with a folder of packages.
pub struct Shop {
    pub server: TestServer,
    pub folder: Arc<TempDir>,
}

impl Shop {
    pub async fn open() -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let path = folder.path().to_owned();
        let server = TestServer::start_with(|config| config.catalog.folders = vec![path]).await;
        Self { server, folder }
    }

    /// Starts a server with the first version of [`DESK`].
    pub async fn with_desk() -> Self {
        let shop = Self::open().await;
        shop.put("desk-1", &desk("1.0.0", &Desk::default()));
        shop
    }

    /// Writes a package into the folder, or replaces files of one that is there.
    pub fn put(&self, place: &str, files: &[(String, String)]) {
        put(self.folder.path(), place, files);
    }
}

/// Writes the files of a package below a folder.
pub fn put(folder: &Path, place: &str, files: &[(String, String)]) {
    for (path, content) in files {
        let path = folder.join(place).join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, content).expect("a file");
    }
}

/// The differences between the versions of [`DESK`].
pub struct Desk {
    pub prompt: String,
    pub description: String,
    pub starters: Vec<String>,
    pub model_parameters: String,
    pub papers: Vec<(String, String)>,
    pub answer: u32,
    pub cron: String,
    pub more: String,
    pub with_automation: bool,
}

impl Default for Desk {
    fn default() -> Self {
        let papers =
            [("returns.md", "Returns take ten days."), ("hours.md", "We are open from nine to five.")];
        Self {
            prompt: "Be brief.".to_owned(),
            description: "Answers at the desk.".to_owned(),
            starters: vec!["When are you open?".to_owned()],
            model_parameters: "{ temperature = 0.2 }".to_owned(),
            papers: papers.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec(),
            answer: 42,
            cron: "0 7 * * *".to_owned(),
            more: String::new(),
            with_automation: true,
        }
    }
}

/// A package with a skill, a knowledge base with documents, an assistant that uses both, and an automation.
pub fn desk(version: &str, desk: &Desk) -> Vec<(String, String)> {
    let Desk { prompt, description, starters, model_parameters, cron, more, answer, .. } = desk;
    let automation = format!(
        r#"
[[resources]]
key = "report"
type = "automation"
[resources.fields]
name = {{ "$join" = ["Report for ", {{ "$parameter" = "team" }}] }}
assistant_id = {{ "$resource" = "clerk" }}
prompt = "What was asked today?"
trigger = {{ kind = "cron", cron = "{cron}", timezone = "Europe/Berlin" }}
enabled = false
"#
    );
    let automation = if desk.with_automation { automation } else { String::new() };
    let manifest = format!(
        r#"
id = "acme/desk"
version = "{version}"
kind = "assistant"
name = "Front desk"
description = "A desk that knows its papers."
license = "MIT"
tags = ["desk", "help"]

[[parameters]]
name = "team"
description = "Who stands behind it."
default = "Sales"

[[resources]]
key = "counting"
type = "skill"
bundle = "skill"

[[resources]]
key = "papers"
type = "knowledge_base"
documents = "papers"
[resources.fields]
name = "Papers"
description = "What the desk knows."

[[resources]]
key = "clerk"
type = "assistant"
[resources.fields]
name = "Clerk"
description = "{description}"
system_prompt = {{ "$file" = "prompt.md" }}
conversation_starters = {starters:?}
model_parameters = {model_parameters}
skills = [{{ "$resource" = "counting" }}]
knowledge_bases = [{{ "$resource" = "papers" }}]
category = "Desk"
{automation}
{more}
"#
    );
    let skill = "---\nname: Counting\ndescription: Counts for the desk.\nservices: [\"web:*\", \"data\"]\n---\n\nCount.\n";
    let script = format!(
        "const functions = {{ answer: {{ description: \"The answer.\", parameters: {{ type: \"object\", properties: {{}} }},\n  run() {{ return {{ answer: {answer} }}; }} }} }};\n"
    );
    let mut files = vec![
        ("package.toml".to_owned(), manifest),
        ("prompt.md".to_owned(), prompt.clone()),
        ("skill/SKILL.md".to_owned(), skill.to_owned()),
        ("skill/answer.js".to_owned(), script),
    ];
    files.extend(desk.papers.iter().map(|(path, text)| (format!("papers/{path}"), text.clone())));
    files
}

/// A package with a single assistant.
pub fn plain(id: &str, version: &str, more: &str) -> Vec<(String, String)> {
    let manifest = format!(
        "id = \"{id}\"\nversion = \"{version}\"\nkind = \"assistant\"\nname = \"Plain\"\ndescription = \"One assistant.\"\n{more}\n\
         [[resources]]\nkey = \"it\"\ntype = \"assistant\"\n[resources.fields]\nname = \"Plain\"\n"
    );
    vec![("package.toml".to_owned(), manifest)]
}

/// The path of an operation on a package.
pub fn at(package: &str, what: &str) -> String {
    format!("{PACKAGES}/{package}/{what}")
}

pub async fn install(client: &Client, package: &str, body: Value) -> Value {
    client.post(&at(package, "install"), body).await.created()
}

pub async fn update(client: &Client, package: &str, query: &str) -> Answer {
    client.post(&at(package, &format!("update?{query}")), json!({})).await
}

/// Returns a resource of an installation or of an update's response.
#[track_caller]
pub fn resource<'a>(told: &'a Value, key: &str) -> &'a Value {
    let resources = told["resources"].as_array().expect("resources");
    resources.iter().find(|resource| resource["key"] == key).unwrap_or_else(|| panic!("no {key}: {told}"))
}

/// Returns the id of a resource.
pub fn id(told: &Value, key: &str) -> String {
    text(&resource(told, key)["id"])
}

/// The path at which a resource can be read.
pub fn path(told: &Value, key: &str) -> String {
    let area = match resource(told, key)["type"].as_str().expect("a type") {
        "assistant" => "assistants",
        "skill" => "skills/global",
        "knowledge_base" => "knowledge-bases",
        "automation" => "automations",
        other => panic!("{other}"),
    };
    format!("/api/{area}/{}", id(told, key))
}

/// Returns the outcome of each field of a resource, without the unchanged fields.
pub fn outcomes(told: &Value, key: &str) -> Value {
    let fields = resource(told, key)["fields"].as_array().expect("fields").iter();
    let changed = fields.filter(|field| field["outcome"] != "unchanged");
    Value::Object(changed.map(|field| (text(&field["field"]), field["outcome"].clone())).collect())
}

/// Returns the client's installation of a package.
pub async fn installed(client: &Client, package: &str) -> Value {
    let list = client.get(INSTALLATIONS).await.ok();
    let items = list["items"].as_array().expect("items").iter();
    let mut of_it = items.filter(|item| item["package"] == package);
    of_it.next().cloned().unwrap_or_default()
}

/// Waits until all documents of a knowledge base are ingested, and returns their titles.
pub async fn papers(client: &Client, base: &str) -> Vec<String> {
    let path = format!("/api/knowledge-bases/{base}/documents");
    let in_work = |list: &Value| {
        let items = list["items"].as_array().expect("items").iter();
        items
            .filter(|item| !["ready", "failed"].contains(&item["status"].as_str().unwrap_or_default()))
            .count()
    };
    let list = crate::api::knowledge_bases::scene::until(client, &path, |list| in_work(list) == 0).await;
    let items = list["items"].as_array().expect("items");
    assert!(items.iter().all(|item| item["status"] == "ready"), "{list}");
    let mut names: Vec<_> = items.iter().map(|item| text(&item["title"])).collect();
    names.sort();
    names
}
