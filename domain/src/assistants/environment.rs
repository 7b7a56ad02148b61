//! Information that the rules for assistants need and that is not stored: models, tools, graphs.

use std::collections::HashSet;

use serde_json::Value;
use storage::{Reader, TenantId};
use uuid::Uuid;

use crate::Caller;

/// Provides information about models, tools and graphs. Implemented above this crate, where runs are known.
pub trait Environment {
    /// Returns the models of `names` that the caller may choose.
    fn offered_models(
        &self,
        reader: &Reader,
        caller: &Caller,
        names: &[&str],
    ) -> storage::Result<HashSet<String>>;

    /// Returns whether a built-in tool has this name.
    fn is_builtin_tool(&self, name: &str) -> bool;

    /// Returns whether requests to this URL are protected from being read in transit.
    fn is_private(&self, url: &str) -> bool;

    /// Returns what a graph uses; `None` for a graph that does not parse.
    fn read_graph(&self, graph: &Value) -> Option<GraphUse>;

    /// Returns the first data items of an assistant that do not match a JSON Schema, at most `limit`, each with a
    /// description of its fault. Empty for a schema that does not parse.
    fn mismatching_items(
        &self,
        reader: &Reader,
        tenant: TenantId,
        assistant: Uuid,
        schema: &Value,
        limit: usize,
    ) -> storage::Result<Vec<(Uuid, String)>>;
}

/// Parses a graph; `None` if it does not parse.
pub type ReadGraph = fn(&Value) -> Option<GraphUse>;

/// The objects, tools and services that the nodes of a graph use.
#[derive(Clone, Debug, Default)]
pub struct GraphUse {
    /// References, each with its location below `workflow.nodes`: the id of the node, `config`, the field.
    pub references: Vec<(Vec<String>, Reference)>,
    /// The tools of each node that refers to any.
    pub tools: Vec<NodeTools>,
    /// The names of the external services whose logins the nodes send.
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
    /// Returns the kind of the object for messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::KnowledgeBase(_) => "knowledge base",
            Self::Assistant(_) => "assistant",
            Self::Skill(_) => "skill",
            Self::Model(_) => "model",
        }
    }
}

/// The tools that a node refers to.
#[derive(Clone, Debug)]
pub struct NodeTools {
    /// Id of the node.
    pub node: String,
    /// The field of the node's configuration that contains the tools.
    pub field: &'static str,
    /// The names; `<server>/<tool>` for a tool of a tool server.
    pub names: Vec<String>,
    /// Whether `<server>/*` is allowed, for all tools of a server.
    pub allows_wildcard: bool,
}
