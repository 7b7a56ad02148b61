//! Reads the fields that nodes of all types share.

use std::collections::BTreeMap;

use expr::Template;
use runs::event::ValueType;
use serde_json::Value;

use super::catalog::{NODE_TYPES, TypeSpec, type_of};
use super::config::NodeKind;
use super::faults::{Fields, Loc, is_name};
use super::plan::{PlanNode, VarSpec};
use super::policy::OnError;
use super::{policies, settings};

/// Maximum number of inputs, and of outputs, of a node.
pub(super) const FIELDS: usize = 100;

/// A node that has been read. It refers to other nodes by name, where the plan uses indexes.
pub(super) struct Draft<'v> {
    pub node: PlanNode,
    links: Links<'v>,
}

/// The names that a node refers to, and its location in the graph.
#[derive(Clone)]
pub(super) struct Links<'v> {
    pub loc: Loc,
    /// Whether the node's type is known. Many checks are skipped for a node of an unknown type.
    pub known: bool,
    pub parent: Option<&'v str>,
    pub compensate: Option<&'v str>,
    /// The node as its author wrote it.
    pub source: &'v Value,
}

impl<'v> Draft<'v> {
    pub fn links(&self) -> Links<'v> {
        self.links.clone()
    }
}

/// Reads a node. The caller has already read its id.
pub(super) fn read<'v>(
    id: &str,
    source: &'v Value,
    loc: Loc,
    mut fields: Fields<'v, '_>,
    vars: &BTreeMap<String, VarSpec>,
) -> Draft<'v> {
    let name = fields.filled("type");
    let spec = name.and_then(type_of);
    if let (Some(name), None) = (name, spec) {
        let all = NODE_TYPES.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        fields.fault("type", "unknown_type", format!("there is no node type {name:?}, only {all}"));
    }
    let parent = fields.string("parent");
    fields.raw("ui");
    let (config, policy, declared) = (fields.get("config"), fields.get("policy"), fields.get("in"));
    let outputs = outputs(&mut fields, spec);
    let kind = match spec {
        Some(spec) => settings::read(spec.name, Fields::read(config, loc.at("config"), fields.faults)),
        None => NodeKind::Parallel,
    };
    let policies = Fields::read(policy, loc.at("policy"), fields.faults);
    let (policy, compensate) = policies::read(&kind, policies);
    let mut inputs = Vec::new();
    if declared.is_some_and(|declared| !declared.is_object()) {
        fields.fault("in", "wrong_type", "must be an object");
    }
    for (name, value) in declared.and_then(Value::as_object).into_iter().flatten() {
        match Template::read(value) {
            Ok(template) => inputs.push((name.clone(), template)),
            Err(error) => fields.faults.add(&loc.at("in").at(name), "template", error.to_string()),
        }
    }
    if inputs.len() > FIELDS {
        fields.fault("in", "too_many", format!("a node has at most {FIELDS} inputs"));
    }
    if let Some(spec) = spec {
        check_inputs(spec, &kind, declared, vars, &mut fields);
    }
    let node = PlanNode {
        id: id.to_owned(),
        kind,
        parent: None,
        inputs,
        outputs,
        policy,
        incoming: Vec::new(),
        outgoing: Vec::new(),
        children: Vec::new(),
        roots: Vec::new(),
        compensates: false,
        digest: String::new(),
    };
    check_default(&node, &mut fields);
    fields.finish();
    let links = Links { loc, known: spec.is_some(), parent, compensate, source };
    Draft { node, links }
}

/// Reads the declared outputs. They must match the outputs of the node's type.
fn outputs(fields: &mut Fields<'_, '_>, spec: Option<&TypeSpec>) -> BTreeMap<String, ValueType> {
    let mut outputs = BTreeMap::new();
    let loc = fields.loc.at("out");
    let declared = fields.object("out");
    if declared.is_some_and(|declared| declared.len() > FIELDS) {
        fields.fault("out", "too_many", format!("a node has at most {FIELDS} outputs"));
    }
    for (name, value) in declared.into_iter().flatten() {
        let mut field = Fields::read(Some(value), loc.at(name), fields.faults);
        let kind = field.value_type("type").unwrap_or_default();
        field.raw("description");
        field.finish();
        if !is_name(name) {
            fields.faults.add(
                &loc.at(name),
                "malformed",
                "a name has letters, digits and `_`, no digit first",
            );
        }
        if let Some(spec) = spec.filter(|spec| !spec.open_outputs) {
            match spec.output(name) {
                None => {
                    let why = format!("a node of type {:?} has no such output", spec.name);
                    fields.faults.add(&loc.at(name), "unknown_output", why);
                }
                Some(known) if !kind.accepts(known.kind) => {
                    let why = format!("is of type {}, not {}", known.kind.name(), kind.name());
                    fields.faults.add(&loc.at(name), "type_mismatch", why);
                }
                Some(_) => {}
            }
        }
        outputs.insert(name.clone(), kind);
    }
    outputs
}

/// Checks the names in `in`: all required inputs are present, and no unknown ones.
fn check_inputs(
    spec: &TypeSpec,
    kind: &NodeKind,
    inputs: Option<&Value>,
    vars: &BTreeMap<String, VarSpec>,
    fields: &mut Fields<'_, '_>,
) {
    let loc = fields.loc.at("in");
    let get = |name: &str| inputs.and_then(|inputs| inputs.get(name)).filter(|value| !value.is_null());
    for input in spec.inputs.iter().filter(|input| input.required && get(input.name).is_none()) {
        fields.faults.add(&loc.at(input.name), "missing", format!("a node of type {:?} needs it", spec.name));
    }
    for name in inputs.and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name) {
        let known = match kind {
            NodeKind::Set => vars.contains_key(name),
            NodeKind::Human(human) if human.fields.iter().any(|field| field.name == *name) => true,
            _ => spec.open_inputs || spec.input(name).is_some(),
        };
        if !known {
            let why = match kind {
                NodeKind::Set => format!("there is no variable {name:?}"),
                _ => format!("a node of type {:?} has no such input", spec.name),
            };
            fields.faults.add(&loc.at(name), "unknown_input", why);
        } else if spec.open_inputs && !is_name(name) {
            fields.faults.add(
                &loc.at(name),
                "malformed",
                "a name has letters, digits and `_`, no digit first",
            );
        }
    }
    match kind {
        NodeKind::Delay if get("ms").is_some() == get("until").is_some() => {
            fields.faults.add(&loc, "missing", "a delay needs either `ms` or `until`");
        }
        NodeKind::Set if inputs.and_then(Value::as_object).is_none_or(serde_json::Map::is_empty) => {
            fields.faults.add(&loc, "missing", "sets no variable");
        }
        _ => {}
    }
}

/// Checks that the default outputs, used after a failure, match the outputs of the node.
fn check_default(node: &PlanNode, fields: &mut Fields<'_, '_>) {
    let Some(default) = &node.policy.default else { return };
    let loc = fields.loc.at("policy").at("default");
    if node.policy.on_error != OnError::Continue {
        fields.faults.add(&loc, "not_allowed", "applies only with `on_error: \"continue\"`");
    }
    for (name, value) in default.as_object().into_iter().flatten() {
        let kind = match node.outputs.get(name) {
            Some(kind) => *kind,
            None => match node.kind.spec().output(name) {
                Some(field) => field.kind,
                None if node.kind.spec().open_outputs && node.outputs.is_empty() => continue,
                None => {
                    fields.faults.add(&loc.at(name), "unknown_output", "the node has no such output");
                    continue;
                }
            },
        };
        if !value.is_null() && !kind.admits(value) {
            fields.faults.add(&loc.at(name), "type_mismatch", format!("is not of type {}", kind.name()));
        }
    }
}
