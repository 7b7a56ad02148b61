//! A caller that sends random requests that mix ids of others with its own.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use super::bodies::body;
use super::callers::Who;
use super::crawl::{ids_in, unlike};
use super::requests::{base_of, id_of, place, whole};
use super::world::{NOTHING, World};
use crate::harness::{Answer, Client};
use crate::sweep::Called;
use crate::sweep::made_up::{Choices, Maker, body_of, fill_path};

/// Operations that would end the walk or contact external services; they take no ids.
const LEFT_OUT: [&str; 7] = [
    "auth.logout",
    "users.logout",
    "tenant-admin.update_provider_api_keys",
    "tenant-admin.update_provisioning_mode",
    "tenant-admin.update_budget",
    "groups.sync_groups",
    "groups.set_sync_credential",
];

/// What must not be revealed.
pub struct Secrets {
    /// No response may contain these words, in upper or lower case.
    pub words: Vec<String>,
    /// No response may contain these ids, unless they were in the request or the caller's own side used them as
    /// names.
    pub ids: BTreeSet<String>,
}

/// A caller on a random walk.
pub struct Walker<'w> {
    who: String,
    client: Client,
    own: &'w World,
    /// The caller's own names and ids.
    mine: Vec<(String, String)>,
    /// The foreign names and ids that the caller tries.
    foreign: Vec<(String, String)>,
    secrets: Secrets,
    pub places: Vec<Called>,
    random: RefCell<StdRng>,
    /// The probability of using a foreign id, in percent: in paths, and elsewhere.
    in_path: Cell<u32>,
    elsewhere: Cell<u32>,
    /// The number of optional fields that may still be added.
    spare: Cell<usize>,
}

/// A request that can be sent again.
#[derive(Clone)]
struct StoredRequest {
    method: Method,
    path: String,
    media_type: Option<String>,
    body: String,
}

impl StoredRequest {
    async fn send(&self, client: &Client) -> Answer {
        let mut request = client.request(self.method.clone(), &self.path);
        if let Some(media_type) = &self.media_type {
            request = request.header("content-type", media_type).body(self.body.clone());
        }
        whole(request).await
    }

    fn holds(&self, id: &str) -> bool {
        forms(id).iter().any(|id| self.path.contains(id) || self.body.contains(id))
    }

    /// The same request with ids that no object has in place of these.
    fn unlike(&self, ids: &[&str]) -> Self {
        Self { path: without(&self.path, ids), body: without(&self.body, ids), ..self.clone() }
    }
}

/// A text with these ids replaced by ids that no object has, in every notation: an id may be part of a longer one.
fn without(text: &str, ids: &[&str]) -> String {
    let mut text = text.to_owned();
    for id in ids {
        for (form, other) in forms(id).iter().zip(forms(&unlike(id))) {
            text = text.replace(form, &other);
        }
    }
    text
}

/// An id as given, and the other notation of the same UUID, with or without dashes.
fn forms(id: &str) -> Vec<String> {
    let uuid = uuid::Uuid::parse_str(id).ok().filter(|_| matches!(id.len(), 32 | 36));
    let other = uuid.map(|uuid| if id.len() == 32 { uuid.to_string() } else { uuid.simple().to_string() });
    std::iter::once(id.to_owned()).chain(other).collect()
}

/// Whether an id with this key can be used for a parameter with this name.
fn fits(key: &str, name: &str) -> bool {
    let key = key.rsplit('/').next().unwrap_or(key);
    let stem = key.trim_end_matches("_id");
    key == name || (name.contains(stem) && name != "model" && name != "key")
}

impl Walker<'_> {
    fn chance(&self, percent: u32) -> bool {
        self.random.borrow_mut().random_range(0..100) < percent
    }

    fn pick(&self, from: &[(String, String)], name: &str) -> Option<String> {
        let fitting: Vec<_> = from.iter().filter(|(key, _)| fits(key, name)).collect();
        let id = match fitting.is_empty() || self.chance(10) {
            true => from.get(self.which(from.len())).map(|(_, id)| id),
            false => fitting.get(self.which(fitting.len())).map(|(_, id)| id),
        };
        id.cloned()
    }

    fn any(&self, bias: u32, place: &str, name: &str) -> String {
        match self.chance(bias) {
            true => self.pick(&self.foreign, name),
            // One of the caller's own ids with that name, or with a compatible name.
            false => Some(self.own.value(place, name))
                .filter(|id| id != NOTHING)
                .or_else(|| self.pick(&self.mine, name)),
        }
        .unwrap_or_else(|| NOTHING.to_owned())
    }

    /// Replaces the caller's own ids in a body that the operation accepts with foreign ids.
    fn stray(&self, name: &str, value: &mut Value) {
        match value {
            Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| self.stray(name, value)),
            Value::Array(items) => items.iter_mut().for_each(|value| self.stray(name, value)),
            Value::String(text) if self.mine.iter().any(|(_, id)| id == text) => {
                *text = self.any(self.elsewhere.get(), "", name);
            }
            _ => {}
        }
    }

    /// A request for an operation.
    fn ask(&self, called: &Called, document: &Value) -> StoredRequest {
        self.in_path.set([0, 0, 50, 100][self.which(4)]);
        self.elsewhere.set([40, 100][self.which(2)]);
        self.spare.set(12);
        let place = place(&called.path);
        let mut path = fill_path(&called.path, |name| {
            let value = self.any(self.in_path.get(), place, name);
            if name == "key" {
                self.own.said.borrow_mut().insert(value.clone());
            }
            value
        });
        let mut query = Vec::new();
        for parameter in called.operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            if parameter["in"] == "query" && (parameter["required"] == true || self.chance(25)) {
                query.push(format!("{name}={}", self.word(place, name, &parameter["schema"].to_string())));
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        let request = self.client.request(called.method.clone(), &path);
        let known = body(base_of(id_of(called)), self.own).filter(|_| self.chance(50));
        let request = match known {
            Some(mut body) => {
                self.stray("", &mut body);
                request.json(&body)
            }
            None => body_of(request, &called.operation, Maker { document, scene: self }),
        };
        let request = request.build().expect("a request");
        let media_type = request.headers().get("content-type").and_then(|value| value.to_str().ok());
        let body = request.body().and_then(|body| body.as_bytes()).unwrap_or_default();
        StoredRequest {
            method: called.method.clone(),
            path,
            media_type: media_type.map(str::to_owned),
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }

    /// A value for a query parameter.
    fn word(&self, place: &str, name: &str, schema: &str) -> String {
        if schema.contains("uuid") || name.ends_with("_id") || name.ends_with("_ids") {
            return self.any(self.elsewhere.get(), place, name);
        }
        if schema.contains("integer") || schema.contains("number") {
            return self.which(50).to_string();
        }
        if schema.contains("boolean") {
            return self.chance(50).to_string();
        }
        match name {
            "query" | "search" => self.foreign_word(),
            "month" => "2026-11".to_owned(),
            "operation" => id_of(&self.places[self.which(self.places.len())]).to_owned(),
            _ => "ndjson".to_owned(),
        }
    }

    /// The beginning of a word that names what others have.
    fn foreign_word(&self) -> String {
        let word = &self.secrets.words[self.which(self.secrets.words.len())];
        word.chars().take(3).collect()
    }

    /// Describes what is wrong with a response.
    fn fault(&self, asked: &StoredRequest, answer: &Answer) -> Option<String> {
        let text = format!("{:?} {}", answer.headers, answer.text());
        let lower = text.to_lowercase();
        if answer.status >= 500 {
            return Some("fails".to_owned());
        }
        if let Some(word) = self.secrets.words.iter().find(|word| lower.contains(&word.to_lowercase())) {
            return Some(format!("tells {word:?}"));
        }
        let told = ids_in(&text);
        let said = self.own.said.borrow();
        let secret = |id: &String| self.secrets.ids.contains(id) && !asked.holds(id) && !said.contains(id);
        let told = told.iter().find(|id| secret(id));
        told.map(|id| format!("tells the id {id}"))
    }

    /// Checks that the response does not distinguish a foreign id from one that no object has.
    async fn tells_apart(&self, asked: &StoredRequest, answer: &Answer) -> Option<String> {
        let sent: Vec<_> = self.secrets.ids.iter().map(String::as_str).filter(|id| asked.holds(id)).collect();
        if sent.is_empty() {
            return None;
        }
        let other = asked.unlike(&sent);
        let without = other.send(&self.client).await;
        if without.status == answer.status && (answer.status < 400 || self.same(answer, &without, &sent)) {
            return None;
        }
        // The difference may be an effect of the first request, so send it again.
        let again = asked.send(&self.client).await;
        if again.status == without.status && (again.status < 400 || self.same(&again, &without, &sent)) {
            return None;
        }
        Some(format!("tells a foreign id from none, which gets {without:?} and not {again:?}"))
    }

    /// Whether two refusals are equal except for the ids.
    fn same(&self, one: &Answer, other: &Answer, sent: &[&str]) -> bool {
        without_request(&without(&one.text(), sent)) == without_request(&other.text())
    }

    /// Sends one request. Returns what is wrong with its outcome.
    pub async fn step(&self, called: &Called, document: &Value) -> Result<(), String> {
        let asked = self.ask(called, document);
        if std::env::var_os("UNDERSTUDY_SHOW_ANSWERS").is_some() {
            println!("asking {} {} {}", asked.method, asked.path, asked.body);
        }
        let answer = asked.send(&self.client).await;
        if std::env::var_os("UNDERSTUDY_SHOW_ANSWERS").is_some() {
            let holds = self.secrets.ids.iter().filter(|id| asked.holds(id)).count();
            println!("{} {holds} {} {} {}", id_of(called), answer.status, asked.path, asked.body);
        }
        let mut fault = self.fault(&asked, &answer);
        if fault.is_none() {
            fault = self.tells_apart(&asked, &answer).await;
        }
        if answer.status < 300
            && base_of(id_of(called)).ends_with("_visibility")
            && called.method == Method::PUT
        {
            let everyone = json!({"visibility": "everyone"});
            self.own.admin.put(&asked.path, everyone).await;
        }
        match fault {
            None => Ok(()),
            Some(fault) => Err(format!(
                "{} by {}: {fault}\n  {} {} {}\n  {answer:?}",
                id_of(called),
                self.who,
                asked.method,
                asked.path,
                asked.body
            )),
        }
    }
}

fn without_request(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    if let Some(fields) = value.as_object_mut() {
        fields.remove("request_id");
        // A digest of the response, including the requested ids.
        if let Some(scan) = fields.get_mut("scan").and_then(Value::as_object_mut) {
            scan.remove("scan_hash");
        }
    }
    value.to_string()
}

impl Choices for Walker<'_> {
    fn id(&self, name: &str) -> String {
        self.any(self.elsewhere.get(), "", name)
    }

    fn includes(&self, _: &str) -> bool {
        let spare = self.spare.get();
        let taken = spare > 0 && self.chance(35);
        self.spare.set(spare - usize::from(taken));
        taken
    }

    fn which(&self, many: usize) -> usize {
        self.random.borrow_mut().random_range(0..many.max(1))
    }

    fn text(&self, name: &str) -> Option<String> {
        match name {
            "model" | "default_model" => Some("builtin/scribe".to_owned()),
            "embedding_model" => Some("builtin/hash".to_owned()),
            "url" | "web_links" => Some("http://127.0.0.1:9/wild".to_owned()),
            "size" => Some("320x180".to_owned()),
            _ if name.ends_with("id") || name.ends_with("ids") || name == "uploads" || name == "skills" => {
                Some(self.any(self.elsewhere.get(), "", name))
            }
            _ => None,
        }
    }
}

fn places() -> Vec<Called> {
    let mut all = Called::all(&understudy::INDEX.document());
    all.retain(|called| !called.is_open() && !LEFT_OUT.contains(&base_of(id_of(called))));
    all
}

/// The ids of what a world has created, by name.
pub fn names(world: &World) -> Vec<(String, String)> {
    let mut names: Vec<_> = world.ids().map(|(name, id)| (name.to_owned(), id.to_owned())).collect();
    names.retain(|(name, _)| {
        !["key", "function_name", "model_id", "feature_key", "upload_url", "service", "package_id"]
            .contains(&name.as_str())
    });
    names.sort();
    names
}

/// A caller of this world that tries ids of another world.
pub fn walker<'w>(own: &'w World, who: Who, seed: u64, foreign: &World, secrets: Secrets) -> Walker<'w> {
    let others = secrets.ids.iter().map(|id| ("other".to_owned(), id.clone()));
    Walker {
        who: format!("{} {}", own.cast.nickname, who.name()),
        client: own.cast.by(who),
        own,
        mine: names(own),
        foreign: names(foreign).into_iter().chain(others.take(200)).collect(),
        secrets,
        places: places(),
        random: RefCell::new(StdRng::seed_from_u64(seed + who as u64)),
        in_path: Cell::new(0),
        elsewhere: Cell::new(0),
        spare: Cell::new(0),
    }
}
