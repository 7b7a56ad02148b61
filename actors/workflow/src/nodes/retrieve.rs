//! The `retrieve` node: searches passages of documents.

use assist::library::{ScoredSource, Search, SearchError, SearchMode, SearchResult, bases_of};
use serde_json::{Map, Value};

use storage::records::Assistant;

use super::{Fields, NodeError, NodeMessage, NodeResult, Task, unavailable};
use crate::graph::RetrieveConfig;

/// The service that requires approval if a graph both searches knowledge and sends data to other servers.
const KNOWLEDGE: &str = "knowledge";

/// Searches the knowledge bases that the node names and the run's user may search. Defaults to the assistant's knowledge bases.
pub(super) async fn run(config: &RetrieveConfig, task: &Task) -> Result<NodeResult, NodeError> {
    let query = task.needed_text("query")?;
    if task.sends && !is_approved(task)? {
        let why = "the graph searches knowledge that may be sent to other servers (by `http` nodes, tools of tool servers, or \
                   other workflows), so the owner of the assistant has to approve the service `knowledge` for it";
        return Err(NodeError { unsent: true, ..NodeError::new("not_approved", why) });
    }
    let (tenant, user) = (task.tenant, task.user);
    let (assistant, named) = (task.assistant_id, config.knowledge_bases.clone());
    let bases = task.run_context.store.read(move |reader| {
        let mut bases = bases_of(reader, tenant, user, assistant, &named)?;
        bases.retain(|id| named.is_empty() || named.contains(id));
        Ok::<_, storage::Error>(bases)
    });
    let bases = bases.await.map_err(|why| NodeError::new("storage", why.to_string()))?;
    if let Some(missing) = config.knowledge_bases.iter().find(|id| !bases.contains(id)) {
        return Err(NodeError::new("not_found", format!("there is no knowledge base {missing}")));
    }
    let limit = config.limit as usize;
    let search = Search { tenant, user, bases, query, limit, mode: SearchMode::Hybrid };
    let found = tokio::select! {
        biased;
        () = task.cancel.cancelled() => return Err(NodeError::new("cancelled", "the attempt was ended")),
        found = task.run_context.library.search(search) => found.map_err(|why| failure(&why))?,
    };
    bill(task, &found).await;
    let passages: Vec<Value> = found.passages.iter().map(fields).collect();
    Ok(NodeResult::with(Fields::from_iter([("passages".to_owned(), passages.into())])))
}

/// Whether the assistant is approved for searching knowledge that its user may read.
fn is_approved(task: &Task) -> Result<bool, NodeError> {
    let Some(id) = task.assistant_id else { return Ok(false) };
    let found = task.run_context.store.read_now(|reader| reader.get::<Assistant>(task.tenant, &id));
    let found = found.map_err(|why: storage::Error| NodeError::new("storage", why.to_string()))?;
    Ok(found.is_some_and(|row| row.approved_external_services.iter().any(|service| service == KNOWLEDGE)))
}

async fn bill(task: &Task, found: &SearchResult) {
    for spent in found.spent.iter().filter(|spent| spent.usage != Default::default()) {
        let said = NodeMessage::Usage {
            model: spent.model.clone(),
            usage: spent.usage,
            cost_nanos: spent.cost_nanos,
            estimated: spent.estimated,
        };
        task.output_sender.say(said).await;
    }
    if let Some(why) = &found.degraded {
        task.output_sender.say(NodeMessage::Log(format!("searched by words alone: {why}"))).await;
    }
}

/// Returns the fields of a passage. Missing fields are omitted.
fn fields(passage: &ScoredSource) -> Value {
    let Value::Object(fields) = passage.to_json() else { return Value::Null };
    Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}

fn failure(why: &SearchError) -> NodeError {
    match why {
        SearchError::Embed(embed) => NodeError {
            provider_code: embed.provider_code().map(str::to_owned),
            ..NodeError::new(why.code(), why.to_string())
        },
        SearchError::Index(_) | SearchError::Storage(_) => unavailable(&why.to_string()),
    }
}
