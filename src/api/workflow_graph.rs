//! The graph of a workflow in requests and responses.

use std::borrow::Cow;

use serde_json::json;
use utoipa::openapi::RefOr;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use workflow::graph::{GRAPH_SCHEMA, graph_schema};

use crate::http::FULL_SCHEMA;

/// The schema of graphs. When a request is read, only `Plan::read` checks them, which locates each fault at its node.
pub struct WorkflowGraph;

impl PartialSchema for WorkflowGraph {
    fn schema() -> RefOr<Schema> {
        let (schema, components) = graph_schema();
        let full = json!({"schema": schema, "components": components});
        let extensions = ExtensionsBuilder::new().add(FULL_SCHEMA, full).build();
        ObjectBuilder::new().schema_type(Type::Object).extensions(Some(extensions)).into()
    }
}

impl ToSchema for WorkflowGraph {
    fn name() -> Cow<'static, str> {
        GRAPH_SCHEMA.into()
    }
}
