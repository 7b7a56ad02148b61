//! The services that functions of skills may use through the `host` object.

mod data;
mod web;

use async_trait::async_trait;
use parking_lot::Mutex;
use runs::Caller;
use sandbox::Host;
use serde_json::Value;
use storage::records::Assistant;
use uuid::Uuid;

use crate::library::{ScoredSource, Search, SearchMode, Vectors, bases_of};
use crate::run_context::RunContext;

/// Default and maximum number of passages of one search.
const PASSAGES: u64 = 5;
const MAX_PASSAGES: u64 = 50;
/// Maximum number of characters of a search query.
const MAX_QUERY_LENGTH: usize = 2_000;

/// The services that one function call may use.
pub(super) struct Services<'m> {
    run_context: &'m RunContext,
    caller: Caller,
    /// The services that the skill requires.
    required: &'m [String],
    /// The services that the assistant is approved for.
    approved: Vec<String>,
    spent: &'m Bill,
}

/// Usage of the searches of function calls, by model, without the vectors. Owned by the caller, so that it is available
/// even if the function fails or is terminated.
pub type Bill = Mutex<Vec<Vectors>>;

impl<'m> Services<'m> {
    /// Determines the services that the caller's assistant is currently approved for, provided that the skill is its
    /// own and the assistant is not disabled. There are none without an assistant, and for skills that other skills
    /// add.
    pub(super) async fn open(
        run_context: &'m RunContext,
        caller: Caller,
        skill: Option<Uuid>,
        required: &'m [String],
        spent: &'m Bill,
    ) -> storage::Result<Self> {
        let approved = match (caller.assistant_id, skill) {
            (Some(id), Some(skill)) => {
                let row =
                    run_context.store.read(move |reader| reader.get::<Assistant>(caller.tenant, &id)).await?;
                let row =
                    row.filter(|row| row.enabled && row.deleted_at.is_none() && row.skills.contains(&skill));
                row.map(|row| row.body.approved_external_services).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        Ok(Self { run_context, caller, required, approved, spent })
    }

    /// Fails if the skill does not require the service or the assistant is not approved for it.
    fn require(&self, service: &str) -> Result<(), String> {
        let is_web = service.starts_with("web:");
        let covers = |all: &[String]| all.iter().any(|it| it == service || is_web && it == "web:*");
        if !covers(self.required) {
            return Err(format!("the skill does not ask for the service `{service}`"));
        }
        match covers(&self.approved) {
            true => Ok(()),
            false => Err(format!("the service `{service}` is not approved for this assistant")),
        }
    }

    async fn search(&self, args: &[Value]) -> Result<Value, String> {
        self.require("knowledge")?;
        let query = args.first().and_then(Value::as_str).map(str::trim).filter(|query| !query.is_empty());
        let query = query.ok_or("search(query, {limit}) wants a text to search for")?;
        let limit = args.get(1).and_then(|options| options.get("limit")).and_then(Value::as_u64);
        let limit = limit.unwrap_or(PASSAGES).clamp(1, MAX_PASSAGES);
        let Caller { tenant, user, assistant_id, .. } = self.caller;
        let bases = self
            .run_context
            .store
            .read(move |reader| bases_of(reader, tenant, user, assistant_id, &[]))
            .await;
        let search = Search {
            tenant,
            user,
            bases: bases.map_err(|why| why.to_string())?,
            query: query.chars().take(MAX_QUERY_LENGTH).collect(),
            limit: usize::try_from(limit).unwrap_or_default(),
            mode: SearchMode::Hybrid,
        };
        let found = self.run_context.library.search(search).await.map_err(|why| why.to_string())?;
        self.spent.lock().extend(found.spent);
        Ok(found.passages.iter().map(ScoredSource::to_json).collect())
    }
}

#[async_trait]
impl Host for Services<'_> {
    fn names(&self) -> Vec<String> {
        let names = ["fetch", "search", "data.query", "data.create", "data.update", "data.delete"];
        names.map(str::to_owned).to_vec()
    }

    async fn call(&self, name: &str, args: Vec<Value>) -> Result<Value, String> {
        match name {
            "fetch" => self.fetch(&args).await,
            "search" => self.search(&args).await,
            "data.query" => self.query(&args).await,
            "data.create" => self.create(args).await,
            "data.update" => self.update(args).await,
            "data.delete" => self.delete(&args).await,
            _ => Err(format!("there is no {name}()")),
        }
    }
}
