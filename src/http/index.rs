//! The index of all operations: routes, documentation and access rules.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use actix_web::web::{Bytes, ServiceConfig};
use serde_json::Value;

use super::area::{self, AreaEntry};
use super::document;
use super::register::{self, Registered};

/// All areas, and the documents derived from them on first use.
pub struct Index {
    areas: &'static [AreaEntry],
    document: OnceLock<Bytes>,
    register: OnceLock<(Vec<Registered>, BTreeMap<String, usize>)>,
}

impl Index {
    /// Creates an index of these areas. Requests are matched in their order.
    pub const fn new(areas: &'static [AreaEntry]) -> Self {
        Self { areas, document: OnceLock::new(), register: OnceLock::new() }
    }

    /// Registers the routes of all operations.
    pub fn mount(&self, config: &mut ServiceConfig) {
        self.areas.iter().for_each(|entry| area::mount(config, entry));
    }

    /// Builds the OpenAPI document.
    pub fn document(&self) -> Value {
        document::document(self.areas)
    }

    /// Builds the OpenAPI document without operations that only repeat others at further paths.
    pub fn document_without_aliases(&self) -> Value {
        let mut document = self.document();
        document::remove_aliases(&mut document);
        document
    }

    /// The OpenAPI document as JSON text. It is built once.
    pub(super) fn document_json(&self) -> Bytes {
        self.document.get_or_init(|| Bytes::from(self.document().to_string())).clone()
    }

    /// The OpenAPI document of a server that clients reach under a base path.
    pub(super) fn document_json_at(&self, base: &str) -> String {
        let mut document = self.document();
        document["servers"][0]["url"] = base.into();
        document.to_string()
    }

    /// Names of schemas shared by two different types. All but the last type would be lost.
    pub fn ambiguous_schemas(&self) -> Vec<String> {
        document::ambiguous_schemas(self.areas)
    }

    /// All operations with their access rules, by area.
    pub fn operations(&self) -> &[Registered] {
        &self.register().0
    }

    /// Finds the operation with this id.
    pub fn operation(&self, id: &str) -> Option<&Registered> {
        let (operations, by_id) = self.register();
        by_id.get(id).and_then(|at| operations.get(*at))
    }

    /// The page of the documentation that lists the access rules, in Markdown.
    pub fn access_page(&self) -> String {
        register::page(self.areas, self.operations())
    }

    fn register(&self) -> &(Vec<Registered>, BTreeMap<String, usize>) {
        self.register.get_or_init(|| {
            let operations = register::all(self.areas);
            let by_id = operations.iter().enumerate().map(|(at, one)| (one.id.clone(), at)).collect();
            (operations, by_id)
        })
    }
}
