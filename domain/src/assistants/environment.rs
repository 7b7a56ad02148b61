//! What the rules for assistants need to know that is not stored: models, tools, graphs.

use std::collections::HashSet;

use serde_json::Value;
use storage::{Reader, TenantId};
use uuid::Uuid;

use crate::Caller;

/// Answers questions about models, tools and graphs. Implemented above this crate, where runs are.
pub trait Environment {
    /// Those of the models `names` that the caller may choose.
    fn offered_models(
        &self,
        reader: &Reader,
        caller: &Caller,
        names: &[&str],
    ) -> storage::Result<HashSet<String>>;

    /// Whether a built-in tool has this name.
    fn is_builtin_tool(&self, name: &str) -> bool;

    /// Whether requests to this URL cannot be read on the way.
    fn is_private(&self, url: &str) -> bool;

    /// What a graph uses; `None` for a graph that does not parse.
    fn read_graph(&self, graph: &Value) -> Option<GraphUse>;

    /// The first data items of an assistant that do not match a JSON Schema, at most `limit`, each with its fault in
    /// words. Empty for a schema that does not parse.
    fn mismatching_items(
        &self,
        reader: &Reader,
        tenant: TenantId,
        assistant: Uuid,
        schema: &Value,
        limit: usize,
    ) -> storage::Result<Vec<(Uuid, String)>>;
}

/// Parses a graph; `None` for one that does not parse.
pub type ReadGraph = fn(&Value) -> Option<GraphUse>;

/// What the nodes of a graph use.
#[derive(Clone, Debug, Default)]
pub struct GraphUse {
    /// References, each with its location below `workflow.nodes`: the node's id, `config`, the field.
    pub references: Vec<(Vec<String>, Reference)>,
    /// The tools of each node that names any.
    pub tools: Vec<NodeTools>,
    /// The external services whose logins its nodes send, by name.
    pub logins: Vec<String>,
    /// Whether a node searches knowledge.
    pub searches_knowledge: bool,
}

/// An object or a model that a node refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    KnowledgeBase(Uuid),
    Assistant(Uuid),
    Skill(Uuid),
    Model(String),
}

impl Reference {
    /// The kind of object, as messages call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::KnowledgeBase(_) => "knowledge base",
            Self::Assistant(_) => "assistant",
            Self::Skill(_) => "skill",
            Self::Model(_) => "model",
        }
    }
}

/// The tools that a node names.
#[derive(Clone, Debug)]
pub struct NodeTools {
    /// The node's id.
    pub node: String,
    /// The field of its configuration that names them.
    pub field: &'static str,
    /// The names; `<server>/<tool>` for a tool of a tool server.
    pub names: Vec<String>,
    /// Whether `<server>/*` is allowed, for all tools of a server.
    pub allows_wildcard: bool,
}
