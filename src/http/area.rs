//! Areas: the operations under one path prefix, with their part of the OpenAPI document.
//!
//! [`Area::operation`] accepts only handlers whose first argument states who may call them
//! ([`Access`](super::access::Access)). A handler without such an argument does not compile:
//!
//! ```compile_fail
//! use understudy::http::{Api, Area, NoContent, OperationEntry};
//!
//! /// Does something to anyone's data.
//! #[utoipa::path(post, path = "/api/x", responses((status = 204)))]
//! async fn reckless() -> Api<NoContent> { Ok(NoContent) }
//!
//! fn operations(area: &mut Area) { area.operation(&OperationEntry::new("reckless", reckless, __path_reckless)) }
//! ```
//!
//! With it, the handler compiles:
//!
//! ```
//! use understudy::http::{Api, Area, Auth, NoContent, OperationEntry, scopes::AccountWrite};
//!
//! /// Does something to the caller's data.
//! #[utoipa::path(post, path = "/api/x", responses((status = 204)))]
//! async fn careful(auth: Auth<AccountWrite>) -> Api<NoContent> { Ok(NoContent) }
//!
//! fn operations(area: &mut Area) { area.operation(&OperationEntry::new("careful", careful, __path_careful)) }
//! ```

use super::access::{AccessRule, Arguments, PartOf};
use super::endpoint::{self, Endpoint};
use super::error::{Api, RefusalResponse};
use super::form_body::FormBody;
use super::idempotency::IdempotencyHeader;
use super::limits::{self, KeyedRequests};
use super::middleware::Measures;
use super::path_order::{Routes, Sorted};
use super::responders::{DocumentedResponder, IfMatch, Schemas};
use super::trailing_slash;
use actix_web::http::Method;
use actix_web::web::{self, ServiceConfig};
use actix_web::{Handler, HttpRequest, Resource, Route, guard};
use domain::{Code, Refusal};
use std::collections::BTreeMap;
use storage::authority::Feature;
use utoipa::openapi::path::{HttpMethod, Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Required, Responses};

/// Declares `pub fn operations`, which adds a module's operations to an [`Area`].
///
/// - `operations!(list, create)` adds the handlers of this module. The id of an operation is the name of its area and
///   the name of its handler, `projects.list`; `list as "list.all"` sets another name. `with slash` adds the same path
///   with a trailing slash (or without it, if the path has one), `with v1` adds the same path with that segment.
/// - `operations!(mod routes, avatar)` adds the operations of these modules.
/// - `operations!(…; schemas Filter)` adds schemas that only parameters refer to, because the `utoipa` macro does not
///   follow these references.
#[macro_export]
macro_rules! operations {
    (@name $handler:ident) => { stringify!($handler) };
    (@name $handler:ident $name:literal) => { $name };
    (mod $($($module:ident)::+),+ $(; schemas $($schema:ty),+)?) => {
        /// Adds the operations of this module.
        pub fn operations(area: &mut $crate::http::Area) {
            $($(area.schema::<$schema>();)+)?
            $($($module)::+::operations(area);)+
        }
    };
    ($($handler:ident $(as $name:literal)? $(with $twin:ident)?),+ $(; schemas $($schema:ty),+)?) => {
        /// Adds the operations of this module.
        pub fn operations(area: &mut $crate::http::Area) {
            use $crate::http::OperationEntry;
            $($(area.schema::<$schema>();)+)?
            $crate::__pastey::paste! {
                $(
                    let name = $crate::operations!(@name $handler $($name)?);
                    let entry = OperationEntry::new(name, $handler, [<__path_ $handler>]);
                    area.operation(&entry);
                    $(area.[<twin_with_ $twin>](&entry);)?
                )+
            }
        }
    };
}
pub use crate::operations;

/// An area: a group of operations under one path prefix.
pub struct AreaEntry {
    /// The name of the area, which begins the ids of its operations.
    pub area: &'static str,
    /// The prefix of all its paths.
    pub prefix: &'static str,
    /// The feature that the area belongs to, if any. Administrators of a tenant can switch features off.
    pub feature: Option<Feature>,
    /// The function that adds the operations.
    pub operations: fn(&mut Area),
}

/// An operation as described in the OpenAPI document.
pub struct OperationDescription {
    /// The path, in the notation of the document.
    pub path: String,
    pub method: HttpMethod,
    /// The part of the description that comes from the attribute, with the operation's id.
    pub operation: Operation,
    /// The requirements on callers.
    pub rule: AccessRule,
    /// Whether the operation accepts `If-Match`.
    pub if_match: bool,
    /// Whether the response carries a version.
    pub versioned: bool,
    /// The form that the operation accepts, if its body is one.
    pub form: Option<FormBody>,
    /// The id of the operation that is the same at another path, if this one is listed only for its path.
    pub alias_of: Option<String>,
}

enum Purpose {
    /// Register routes.
    Serve(Routes),
    /// Collect the operations for the OpenAPI document.
    Describe(Vec<OperationDescription>, Schemas),
}

/// The operations of one area. An `Area` either serves or describes them.
pub struct Area {
    name: &'static str,
    purpose: Purpose,
}

impl Area {
    fn serving(name: &'static str) -> Self {
        Self { name, purpose: Purpose::Serve(BTreeMap::new()) }
    }

    /// Returns the operations and schemas of an area for the OpenAPI document.
    pub(crate) fn describe(entry: &AreaEntry) -> (Vec<OperationDescription>, Schemas) {
        let mut area = Self { name: entry.area, purpose: Purpose::Describe(Vec::new(), Vec::new()) };
        (entry.operations)(&mut area);
        match area.purpose {
            Purpose::Describe(described, schemas) => (described, schemas),
            Purpose::Serve(_) => (Vec::new(), Vec::new()),
        }
    }

    /// Adds an operation.
    pub fn operation(&mut self, entry: &OperationEntry) {
        self.add(entry, (entry.path)(), "");
    }

    /// Adds the same operation at the path with a trailing slash, or without it if the path has one.
    pub fn twin_with_slash(&mut self, entry: &OperationEntry) {
        let path = (entry.path)();
        let path = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
        self.add(entry, path, ".slash");
    }

    /// Adds the same operation at the path with `v1` after the name of the interface, and after the assistant's id if
    /// the path has one. Some clients append `v1` to a base address and others do not.
    pub fn twin_with_v1(&mut self, entry: &OperationEntry) {
        let path = (entry.path)();
        let (base, rest) = path.split_once("/partner_compatible").unwrap_or((&path, ""));
        let (assistant, rest) = match rest.split_once("/{assistant_id}") {
            Some(("", rest)) => ("/{assistant_id}", rest),
            _ => ("", rest),
        };
        self.add(entry, format!("{base}/partner_compatible{assistant}/v1{rest}"), ".v1");
    }

    /// Adds the paths of [`Area::twin_with_v1`], and both paths below an assistant's id: a client whose base address
    /// names an assistant sends all its other requests there too.
    pub fn twin_with_assistant(&mut self, entry: &OperationEntry) {
        let path = (entry.path)();
        let (base, rest) = path.split_once("/partner_compatible").unwrap_or((&path, ""));
        for (infix, suffix) in
            [("/v1", ".v1"), ("/{assistant_id}", ".assistant"), ("/{assistant_id}/v1", ".assistant.v1")]
        {
            let path = format!("{base}/partner_compatible{infix}{rest}");
            self.add(entry, path, suffix);
        }
    }

    /// Adds a schema that only parameters refer to.
    pub fn schema<T: utoipa::ToSchema>(&mut self) {
        if let Purpose::Describe(_, schemas) = &mut self.purpose {
            schemas.push((T::name().into_owned(), T::schema()));
            T::schemas(schemas);
        }
    }

    fn add(&mut self, entry: &OperationEntry, path: String, suffix: &str) {
        for documented in (entry.methods)() {
            let id = format!("{}.{}{suffix}", self.name, entry.name);
            match &mut self.purpose {
                // The description of the operation is not built here because that would take most of the startup time.
                Purpose::Serve(routes) => {
                    let method = method_of(&documented);
                    let route = || endpoint::route(method.clone(), entry.endpoint.clone(), entry.keyed);
                    if let Some(other) = trailing_slash::other(&path, &method) {
                        let spare = (method.clone(), id.clone(), route());
                        routes.entry(trailing_slash::sorted(&other)).or_default().push(spare);
                    }
                    let route = route();
                    routes.entry(Sorted::new(&path)).or_default().push((method, id, route));
                }
                Purpose::Describe(described, schemas) => {
                    let mut operation = (entry.description)();
                    operation.operation_id = Some(id);
                    let alias_of = (!suffix.is_empty()).then(|| format!("{}.{}", self.name, entry.name));
                    (entry.schemas)(schemas);
                    (entry.response)(&mut operation.responses, schemas);
                    if suffix.starts_with(".assistant") {
                        operation.parameters.get_or_insert_default().insert(0, RefOr::T(assistant_id()));
                    }
                    described.push(OperationDescription {
                        path: without_patterns(&path),
                        method: documented,
                        operation,
                        rule: (entry.rule)(),
                        if_match: (entry.if_match)(),
                        versioned: entry.versioned,
                        form: (entry.form)(),
                        alias_of,
                    });
                }
            }
        }
    }
}

/// A handler with its description and erased types, so that the code that processes it is compiled only once.
pub struct OperationEntry {
    /// The last part of the operation id.
    name: &'static str,
    endpoint: Endpoint,
    keyed: KeyedRequests,
    path: fn() -> String,
    methods: fn() -> Vec<HttpMethod>,
    description: fn() -> Operation,
    schemas: fn(&mut Schemas),
    rule: fn() -> AccessRule,
    if_match: fn() -> bool,
    response: fn(&mut Responses, &mut Schemas),
    versioned: bool,
    form: fn() -> Option<FormBody>,
}

impl OperationEntry {
    /// Creates the entry of a handler. `docs` is the `__path_` type that `#[utoipa::path]` declares next to the
    /// handler.
    pub fn new<H, Args, D, T>(name: &'static str, handler: H, docs: D) -> Self
    where
        H: Handler<Args, Output = Api<T>>,
        Args: Arguments,
        T: DocumentedResponder + 'static,
        D: utoipa::Path + utoipa::__dev::SchemaReferences,
    {
        let _ = docs;
        let keyed = match Args::takes::<IdempotencyHeader>() {
            true => KeyedRequests::ChargedByHandler,
            false => KeyedRequests::ChargedByRoute,
        };
        Self {
            name,
            endpoint: endpoint::endpoint(handler),
            keyed,
            path: D::path,
            methods: D::methods,
            description: D::operation,
            schemas: D::schemas,
            rule: Args::rule,
            if_match: Args::takes::<IfMatch>,
            response: T::document,
            versioned: T::VERSIONED,
            form: Args::form,
        }
    }
}

/// The path parameter of operations below an assistant.
fn assistant_id() -> Parameter {
    let id = ObjectBuilder::new().schema_type(Type::String);
    let id = id.format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
    let named = ParameterBuilder::new().name("assistant_id").parameter_in(ParameterIn::Path);
    named.required(Required::True).schema(Some(id)).build()
}

/// Registers the routes of an area. The guard on the prefix saves requests for other areas from matching all its
/// patterns.
pub(crate) fn mount(config: &mut ServiceConfig, entry: &AreaEntry) {
    let AreaEntry { area, prefix, feature, operations } = *entry;
    let mut area = Area::serving(area);
    operations(&mut area);
    let Area { purpose: Purpose::Serve(routes), .. } = area else { return };
    let mut scope =
        web::scope("").guard(guard::fn_guard(move |context| context.head().uri.path().starts_with(prefix)));
    if let Some(feature) = feature {
        scope = scope.app_data(PartOf(feature));
    }
    for (sorted, routes) in trailing_slash::settled(routes) {
        scope = scope.service(resource(&sorted.path, routes));
    }
    config.service(scope);
}

fn resource(path: &str, routes: Vec<(Method, String, Route)>) -> Resource {
    let allowed = routes.iter().map(|(method, ..)| method.as_str()).collect::<Vec<_>>().join(", ");
    let measures = Measures::new(
        &without_patterns(path),
        routes.iter().map(|(method, id, _)| (method.clone(), id.clone())),
    );
    let mut resource = Resource::new(path).app_data(measures);
    for (_, _, route) in routes {
        resource = resource.route(route);
    }
    resource.default_service(web::to(move |request: HttpRequest| {
        let refusal = Refusal::new(Code::MethodNotAllowed).allow(allowed.clone());
        let refusal = limits::charge(&request, KeyedRequests::ChargedByRoute).err().unwrap_or(refusal);
        async move { refusal.error_response() }
    }))
}

fn method_of(method: &HttpMethod) -> Method {
    match method {
        HttpMethod::Get => Method::GET,
        HttpMethod::Post => Method::POST,
        HttpMethod::Put => Method::PUT,
        HttpMethod::Delete => Method::DELETE,
        HttpMethod::Options => Method::OPTIONS,
        HttpMethod::Head => Method::HEAD,
        HttpMethod::Patch => Method::PATCH,
        HttpMethod::Trace => Method::TRACE,
    }
}

/// Converts `/jobs/{job_id:.*}` to the notation of the document: `/jobs/{job_id}`.
pub fn without_patterns(path: &str) -> String {
    let segment = |segment: &str| match (segment.strip_prefix('{'), segment.find(':')) {
        (Some(_), Some(colon)) => format!("{}}}", &segment[..colon]),
        _ => segment.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}
