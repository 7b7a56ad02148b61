//! Reads the configurations of nodes, with one function per type.

use std::collections::BTreeMap;

use assist::data::Schema;
use expr::Template;
use serde_json::Value;
use uuid::Uuid;

use super::config::*;
use super::faults::Fields;
use super::forms;
use super::limits::{YEAR, at_most, check_ports};

/// Maximum length of a script, in bytes.
const CODE: usize = 256 * 1024;
/// The HTTP methods that a request may use.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Reads the configuration of a node. The type name must exist in the catalog.
pub(super) fn read(name: &str, mut fields: Fields<'_, '_>) -> NodeKind {
    let kind = match name {
        "start" => NodeKind::Start,
        "answer" => NodeKind::Answer,
        "end" => NodeKind::End,
        "fail" => NodeKind::Fail,
        "llm" => NodeKind::Llm(llm(&mut fields)),
        "agent" => NodeKind::Agent(agent(&mut fields)),
        "classifier" => NodeKind::Classifier(classifier(&mut fields)),
        "extract" => NodeKind::Extract(extract(&mut fields)),
        "retrieve" => NodeKind::Retrieve(retrieve(&mut fields)),
        "function" => NodeKind::Function(FunctionConfig {
            skill_id: uuid(&mut fields, "skill_id"),
            function: fields.filled("function").unwrap_or_default().to_owned(),
        }),
        "tool" => NodeKind::Tool(ToolConfig { tool: fields.filled("tool").unwrap_or_default().to_owned() }),
        "http" => NodeKind::Http(http(&mut fields)),
        "code" => NodeKind::Code(code(&mut fields)),
        "template" => NodeKind::Template,
        "set" => NodeKind::Set,
        "list" => NodeKind::List(ListConfig { steps: steps(&mut fields) }),
        "document" => NodeKind::Document,
        "if" => NodeKind::If,
        "switch" => NodeKind::Switch(switch(&mut fields)),
        "join" => NodeKind::Join(join(&mut fields)),
        "each" => NodeKind::Each(each(&mut fields)),
        "loop" => NodeKind::Loop(LoopConfig {
            max: fields.integer("max", 1, 10_000).unwrap_or(100),
            condition: template(&mut fields, "while"),
            result: template(&mut fields, "result"),
        }),
        "break" => NodeKind::Break,
        "human" => NodeKind::Human(forms::read(&mut fields)),
        "wait" => NodeKind::Wait(WaitConfig {
            event: fields.filled("event").unwrap_or_default().to_owned(),
            expires_ms: fields.integer("expires_ms", 1, YEAR),
        }),
        "delay" => NodeKind::Delay,
        "workflow" => NodeKind::Workflow(workflow(&mut fields)),
        "video" => NodeKind::Video(video(&mut fields)),
        _ => NodeKind::Parallel,
    };
    fields.finish();
    kind
}

fn llm(fields: &mut Fields<'_, '_>) -> LlmConfig {
    LlmConfig {
        model: fields.string("model").map(str::to_owned),
        parameters: fields.object("parameters").cloned().unwrap_or_default(),
        answer: fields.boolean("answer"),
        use_instructions: fields.boolean("use_instructions"),
    }
}

fn agent(fields: &mut Fields<'_, '_>) -> AgentConfig {
    let tools = fields.strings("tools");
    at_most(fields, "tools", tools.len());
    let max_turns = fields.integer("max_turns", 0, 100).unwrap_or_default();
    AgentConfig { llm: llm(fields), tools, max_turns: max_turns as u32 }
}

fn classifier(fields: &mut Fields<'_, '_>) -> ClassifierConfig {
    let mut classes = Vec::new();
    let loc = fields.loc.at("classes");
    for (at, value) in fields.array("classes").iter().enumerate() {
        let mut class = Fields::read(Some(value), loc.at(at), fields.faults);
        let name = class.filled("name").unwrap_or_default().to_owned();
        let description = class.string("description").unwrap_or_default().to_owned();
        class.finish();
        classes.push(Class { name, description });
    }
    if classes.len() < 2 {
        fields.fault("classes", "missing", "at least two classes are required");
    }
    at_most(fields, "classes", classes.len());
    check_ports(&loc, "name", classes.iter().map(|class| class.name.as_str()), &["error"], fields.faults);
    let fallback = fields.string("fallback").map(str::to_owned);
    if fallback.as_ref().is_some_and(|fallback| classes.iter().all(|class| class.name != *fallback)) {
        fields.fault("fallback", "unknown_value", "must be one of the classes");
    }
    ClassifierConfig { llm: llm(fields), classes, fallback }
}

fn extract(fields: &mut Fields<'_, '_>) -> ExtractConfig {
    let schema = match fields.get("schema") {
        None => {
            fields.missing("schema");
            Value::Null
        }
        Some(schema) if !schema.is_object() => {
            fields.fault("schema", "wrong_type", "must be an object: a JSON Schema");
            Value::Null
        }
        Some(schema) => {
            if let Err(error) = Schema::read(schema) {
                fields.fault("schema", "malformed", format!("is not a JSON Schema: {error}"));
            }
            schema.clone()
        }
    };
    let repairs = fields.integer("repairs", 0, 5).unwrap_or(1);
    ExtractConfig { llm: llm(fields), schema, repairs: repairs as u32 }
}

fn retrieve(fields: &mut Fields<'_, '_>) -> RetrieveConfig {
    let mut knowledge_bases = Vec::new();
    for (at, id) in fields.strings("knowledge_bases").iter().enumerate() {
        match Uuid::parse_str(id) {
            Ok(id) => knowledge_bases.push(id),
            Err(_) => {
                let loc = fields.loc.at("knowledge_bases").at(at);
                fields.faults.add(&loc, "malformed", "is not a valid id");
            }
        }
    }
    at_most(fields, "knowledge_bases", knowledge_bases.len());
    RetrieveConfig { knowledge_bases, limit: fields.integer("limit", 1, 100).unwrap_or(8) as u32 }
}

fn http(fields: &mut Fields<'_, '_>) -> HttpConfig {
    let mut http = HttpConfig::default();
    if let Some(method) = fields.one_of("method", &METHODS.map(|method| (method, method))) {
        http.method = method.to_owned();
    }
    let loc = fields.loc.at("secret_headers");
    let mut secret_headers = BTreeMap::new();
    for (header, name) in fields.object("secret_headers").into_iter().flatten() {
        let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if header.is_empty() || !header.chars().all(token) {
            fields.faults.add(&loc.at(header), "malformed", "is not a valid header name");
        }
        match name.as_str().filter(|name| !name.is_empty()) {
            Some(name) => drop(secret_headers.insert(header.clone(), name.to_owned())),
            None => fields.faults.add(&loc.at(header), "wrong_type", "must be the name of a secret"),
        }
    }
    http.secret_headers = secret_headers;
    http.service = fields.string("service").filter(|name| !name.is_empty()).map(str::to_owned);
    http.max_bytes = fields.integer("max_bytes", 1, 64 << 20).unwrap_or(http.max_bytes);
    for (at, status) in fields.array("accept_status").iter().enumerate() {
        match status.as_u64().and_then(|status| u16::try_from(status).ok()).filter(|s| (400..600).contains(s))
        {
            Some(status) => http.accept_status.push(status),
            None => {
                let loc = fields.loc.at("accept_status").at(at);
                fields.faults.add(&loc, "out_of_range", "must be a status from 400 to 599");
            }
        }
    }
    http
}

fn code(fields: &mut Fields<'_, '_>) -> CodeConfig {
    let code = fields.filled("code").unwrap_or_default();
    if code.len() > CODE {
        fields.fault("code", "too_long", format!("a script has at most {} KiB", CODE / 1024));
    }
    let memory_bytes = fields.integer("memory_bytes", 1 << 20, 512 << 20);
    CodeConfig { code: code.to_owned(), memory_bytes }
}

fn steps(fields: &mut Fields<'_, '_>) -> Vec<ListStep> {
    let mut steps = Vec::new();
    let loc = fields.loc.at("steps");
    let items = fields.array("steps");
    at_most(fields, "steps", items.len());
    for (at, value) in items.iter().enumerate() {
        let mut step = Fields::read(Some(value), loc.at(at), fields.faults);
        let ops = ["filter", "sort", "slice", "map", "unique"].map(|op| (op, op));
        if step.get("op").is_none() {
            step.missing("op");
        }
        let op = step.one_of("op", &ops);
        let read = match op {
            Some("filter") => needed(&mut step, "where").map(ListStep::Filter),
            Some("sort") => {
                let descending = step.boolean("descending");
                needed(&mut step, "by").map(|by| ListStep::Sort { by, descending })
            }
            Some("slice") => {
                let start = step.get("start").map_or(Some(0), Value::as_i64);
                if start.is_none() {
                    step.fault("start", "wrong_type", "must be a whole number");
                }
                let count = step.integer("count", 0, u64::MAX);
                start.map(|start| ListStep::Slice { start, count })
            }
            Some("map") => needed(&mut step, "to").map(ListStep::Map),
            Some("unique") => needed(&mut step, "by").map(ListStep::Unique),
            _ => None,
        };
        if op.is_some() {
            step.finish();
        }
        // An unreadable step is replaced by one without effect, so that the other steps retain their index in fault locations.
        steps.push(read.unwrap_or(ListStep::Slice { start: 0, count: None }));
    }
    steps
}

fn switch(fields: &mut Fields<'_, '_>) -> SwitchConfig {
    let mut cases = Vec::new();
    let loc = fields.loc.at("cases");
    for (at, value) in fields.array("cases").iter().enumerate() {
        let mut case = Fields::read(Some(value), loc.at(at), fields.faults);
        let port = case.filled("port").unwrap_or_default().to_owned();
        if value.is_object() && value.get("value").is_none() {
            case.missing("value");
        }
        let value = case.raw("value").cloned().unwrap_or_default();
        case.finish();
        cases.push(Case { port, value });
    }
    if cases.is_empty() {
        fields.fault("cases", "missing", "at least one case is required");
    }
    at_most(fields, "cases", cases.len());
    let ports = cases.iter().map(|case| case.port.as_str());
    check_ports(&loc, "port", ports, &["default", "error"], fields.faults);
    SwitchConfig { cases }
}

fn join(fields: &mut Fields<'_, '_>) -> JoinConfig {
    let mode = match fields.get("mode") {
        None => JoinMode::All,
        Some(Value::String(mode)) if mode == "all" => JoinMode::All,
        Some(Value::String(mode)) if mode == "any" => JoinMode::Any,
        Some(value) => {
            let n = value.as_object().filter(|mode| mode.len() == 1).and_then(|mode| mode.get("n"));
            match n.and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()) {
                Some(n) => JoinMode::N(n),
                None => {
                    fields.fault("mode", "unknown_value", "must be \"all\", \"any\" or {\"n\": a number}");
                    JoinMode::All
                }
            }
        }
    };
    let keep_others = fields.one_of("others", &[("cancel", false), ("keep", true)]).unwrap_or_default();
    JoinConfig { mode, keep_others }
}

fn each(fields: &mut Fields<'_, '_>) -> EachConfig {
    let ways = [("stop", OnItemError::Stop), ("null", OnItemError::Null), ("drop", OnItemError::Drop)];
    EachConfig {
        concurrency: fields.integer("concurrency", 1, 64).unwrap_or(4) as usize,
        on_item_error: fields.one_of("on_item_error", &ways).unwrap_or_default(),
        result: template(fields, "result"),
    }
}

fn workflow(fields: &mut Fields<'_, '_>) -> WorkflowConfig {
    if fields.get("assistant_id").is_none() {
        fields.missing("assistant_id");
    }
    let assistant_id = uuid(fields, "assistant_id").unwrap_or_default();
    WorkflowConfig { assistant_id, detach: fields.boolean("detach") }
}

fn video(fields: &mut Fields<'_, '_>) -> VideoConfig {
    let size = fields.string("size").map(str::to_owned);
    let sides =
        size.as_deref().map(|size| size.split_once('x').map(|(w, h)| (w.parse::<u16>(), h.parse::<u16>())));
    if matches!(sides, Some(None | Some((Err(_), _) | (_, Err(_))))) {
        fields.fault("size", "malformed", "must be width by height, such as 1280x720");
    }
    VideoConfig {
        model: fields.string("model").map(str::to_owned),
        size,
        seconds: fields.integer("seconds", 1, 600).map(|seconds| seconds as u32),
    }
}

fn uuid(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<Uuid> {
    let id = Uuid::parse_str(fields.string(name)?).ok();
    if id.is_none() {
        fields.fault(name, "malformed", "is not a valid id");
    }
    id
}

/// Reads an optional template of a configuration.
fn template(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<Template> {
    match Template::read(fields.get(name)?) {
        Ok(template) => Some(template),
        Err(error) => {
            fields.fault(name, "template", error.to_string());
            None
        }
    }
}

/// Reads a template that must be present.
fn needed(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<Template> {
    if fields.get(name).is_none() {
        fields.missing(name);
    }
    template(fields, name)
}
