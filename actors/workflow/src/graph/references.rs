//! Checks references between nodes: the target exists, comes before the node, and has the expected type.

use std::collections::BTreeSet;

use expr::{Reference, Template};
use runs::event::ValueType;

use super::config::{ListStep, NodeKind};
use super::faults::{Faults, Loc};
use super::node::Links;
use super::plan::{NodeIx, Plan, PlanNode};
use super::policy::OnError;

/// The fields of `run` that expressions can read, as in `run.id`.
const RUN: [&str; 3] = ["id", "started_at", "user_id"];

/// Checks all references of a graph without cycles. If the graph is not fully `joined` because an edge or a container is invalid,
/// the order of nodes is not checked.
pub(super) fn check(plan: &Plan, links: &[Links<'_>], joined: bool, faults: &mut Faults) {
    for (ix, link) in links.iter().enumerate().filter(|(_, link)| link.known) {
        let node = &plan.nodes[ix];
        let around = plan.containers(plan.stands_for(ix)).collect();
        let mut scope = Scope { plan, visible: plan.visible(ix), around, item: false, joined };
        for (name, template) in &node.inputs {
            let loc = link.loc.at("in").at(name);
            scope.check(template, &loc, faults);
            check_type(&scope, expected_type(plan, node, name), template, &loc, faults);
            if matches!(node.kind, NodeKind::Http(_)) && name == "url" {
                check_address(template, &loc, faults);
            }
        }
        scope.check_config(ix, &link.loc.at("config"), faults);
    }
}

/// Checks that the URL of a request begins with a supported scheme, if that can be decided before the run.
fn check_address(template: &Template, loc: &Loc, faults: &mut Faults) {
    let Some(text) = template.source().as_str().map(str::trim_start) else { return };
    let written = text.split('{').next().unwrap_or_default();
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    match written.split_once(':') {
        Some((scheme, rest))
            if (rest.starts_with("//") || template.constant().is_some())
                && !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https")
                && is_scheme(scheme) =>
        {
            let why = format!("requests support http and https, not {scheme}");
            faults.add(loc, "unsupported", why);
        }
        Some(_) => {}
        None if template.constant().is_some() && !written.is_empty() => {
            faults.add(loc, "malformed", "is not a URL: it must begin with http:// or https://");
        }
        None => {}
    }
}

/// Returns the expected type of an input.
fn expected_type(plan: &Plan, node: &PlanNode, name: &str) -> ValueType {
    match &node.kind {
        NodeKind::Set => plan.vars.get(name).map(|var| var.kind),
        NodeKind::Human(human) => {
            human.fields.iter().find(|field| field.name == name).map(|field| field.kind)
        }
        _ => None,
    }
    .or_else(|| node.kind.spec().input(name).map(|input| input.kind))
    .unwrap_or_default()
}

fn check_type(scope: &Scope<'_>, wanted: ValueType, template: &Template, loc: &Loc, faults: &mut Faults) {
    let actual = if let Some(value) = template.constant() {
        // A literal is checked by its value: 1.5 is not an integer.
        if value.is_null() || wanted.admits(value) {
            return;
        }
        ValueType::of_value(value)
    } else if let Some(reference) = template.reference() {
        scope.type_of(reference)
    } else if template.is_text() {
        ValueType::String
    } else if template.is_list() {
        ValueType::Array
    } else if template.is_object() {
        ValueType::Object
    } else {
        return;
    };
    if template.constant().is_some() || !wanted.accepts(actual) {
        let why = format!("must be of type {}, and this is of type {}", wanted.name(), actual.name());
        faults.add(loc, "type_mismatch", why);
    }
}

/// The values that the templates of one node may refer to.
struct Scope<'p> {
    plan: &'p Plan,
    visible: BTreeSet<NodeIx>,
    /// The containers around the node. Nodes inside a container see its current item, not its results.
    around: Vec<NodeIx>,
    /// Whether `item` and `index` refer to an item of a list.
    item: bool,
    joined: bool,
}

impl Scope<'_> {
    /// Checks the templates of a configuration in the scope in which they are evaluated: per item or per iteration.
    fn check_config(&mut self, ix: NodeIx, loc: &Loc, faults: &mut Faults) {
        match &self.plan.nodes[ix].kind {
            NodeKind::List(list) => {
                self.item = true;
                for (at, step) in list.steps.iter().enumerate() {
                    let loc = loc.at("steps").at(at);
                    match step {
                        ListStep::Filter(template) => self.check(template, &loc.at("where"), faults),
                        ListStep::Sort { by, .. } | ListStep::Unique(by) => {
                            self.check(by, &loc.at("by"), faults)
                        }
                        ListStep::Map(template) => self.check(template, &loc.at("to"), faults),
                        ListStep::Slice { .. } => {}
                    }
                }
                self.item = false;
            }
            NodeKind::Each(each) => {
                self.enter(ix);
                self.check_some(each.result.as_ref(), &loc.at("result"), faults);
            }
            NodeKind::Loop(repeat) => {
                self.visible.insert(ix);
                self.around.push(ix);
                self.check_some(repeat.condition.as_ref(), &loc.at("while"), faults);
                self.enter(ix);
                self.check_some(repeat.result.as_ref(), &loc.at("result"), faults);
            }
            _ => {}
        }
    }

    /// Makes all nodes in a container visible, as they are at the end of an iteration.
    fn enter(&mut self, ix: NodeIx) {
        self.visible.insert(ix);
        self.around.push(ix);
        let inside =
            self.plan.nodes[ix].children.iter().filter(|child| !self.plan.nodes[**child].compensates);
        self.visible.extend(inside);
    }

    fn check_some(&self, template: Option<&Template>, loc: &Loc, faults: &mut Faults) {
        if let Some(template) = template {
            self.check(template, loc, faults);
        }
    }

    fn check(&self, template: &Template, loc: &Loc, faults: &mut Faults) {
        for reference in template.references() {
            if let Err(why) = self.resolve(reference) {
                let why = format!("`{}` refers to nothing: {why}", reference.join("."));
                faults.add(loc, "unresolved_reference", why);
            }
        }
    }

    /// Returns the type of the referenced value, or the reason why the reference is invalid.
    fn resolve(&self, reference: &Reference) -> Result<ValueType, String> {
        let mut parts = reference.iter().map(String::as_str);
        let (root, field, deeper) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let plan = self.plan;
        let whole = |kind: ValueType| match deeper {
            None => kind,
            Some(_) => ValueType::Any,
        };
        match (root, field) {
            ("item" | "index", field) if self.item => {
                Ok(if root == "index" && field.is_none() { ValueType::Integer } else { ValueType::Any })
            }
            ("vars" | "run" | "inputs", None) => Ok(ValueType::Object),
            ("vars", Some(name)) => match plan.vars.get(name) {
                Some(var) => Ok(whole(var.kind)),
                None => Err(format!("there is no variable {name:?}")),
            },
            ("inputs", Some(name)) => self.input(name).map(whole),
            ("run", Some(name)) if RUN.contains(&name) => Ok(ValueType::String),
            ("run", Some(_)) => Err(format!("a run has only {}", RUN.join(", "))),
            (root, field) => {
                let ix = *plan.by_id.get(root).ok_or_else(|| format!("there is no node {root:?}"))?;
                if self.joined && !self.visible.contains(&ix) {
                    return Err(self.unseen(root, ix));
                }
                match field {
                    None => Ok(ValueType::Object),
                    Some(field) => self.output(ix, field, deeper),
                }
            }
        }
    }

    /// Explains why a node is not visible here, and what to use instead.
    fn unseen(&self, name: &str, ix: NodeIx) -> String {
        let node = |ix: NodeIx| &self.plan.nodes[ix];
        let shut = self.plan.containers(ix).filter(|outer| !self.around.contains(outer)).last();
        if let Some(outer) = shut.filter(|outer| self.visible.contains(outer)) {
            let (id, each) = (&node(outer).id, matches!(node(outer).kind, NodeKind::Each(_)));
            let result = if each { "items" } else { "result" };
            return format!("node {name:?} is inside {id:?}; `{id}.{result}` contains its results");
        }
        let turns =
            |outer: &NodeIx| matches!(node(*outer).kind, NodeKind::Loop(_)) && self.around.contains(outer);
        match node(ix).parent.filter(turns).map(|outer| &node(outer).id) {
            Some(id) => {
                format!(
                    "node {name:?} does not come before this; `{id}.last` has the result of the iteration before"
                )
            }
            None => format!("node {name:?} does not come before this"),
        }
    }

    fn input(&self, name: &str) -> Result<ValueType, String> {
        let input = self.plan.inputs.get(name).map(|input| input.kind);
        input.ok_or_else(|| format!("there is no input {name:?}"))
    }

    /// Returns the type of a node's output, or of a value inside the output.
    fn output(&self, ix: NodeIx, name: &str, deeper: Option<&str>) -> Result<ValueType, String> {
        let node = &self.plan.nodes[ix];
        let whole = |kind| if deeper.is_some() { ValueType::Any } else { kind };
        if self.around.contains(&ix) {
            return within(node, name).map(whole);
        }
        if name == "error" && node.policy.on_error != OnError::Fail {
            return match deeper {
                None => Ok(ValueType::Object),
                Some("code" | "message") => Ok(ValueType::String),
                Some(_) => Err("an error has `code` and `message`".into()),
            };
        }
        match &node.kind {
            NodeKind::Start => return self.input(name).map(whole),
            NodeKind::Set if node.inputs.iter().any(|(input, _)| input == name) => {
                return Ok(whole(self.plan.vars.get(name).map(|var| var.kind).unwrap_or_default()));
            }
            NodeKind::Human(human) if name == "fields" && deeper.is_some() => {
                let field = human.fields.iter().find(|field| Some(field.name.as_str()) == deeper);
                return field.map(|field| field.kind).ok_or_else(|| "its form has no such field".into());
            }
            _ => {}
        }
        let spec = node.kind.spec();
        if let Some(kind) = node.outputs.get(name).copied().or(spec.output(name).map(|field| field.kind)) {
            return Ok(whole(kind));
        }
        if spec.open_outputs && node.outputs.is_empty() {
            return Ok(ValueType::Any);
        }
        let mut known: Vec<&str> = node.outputs.keys().map(String::as_str).collect();
        known.extend(
            spec.outputs.iter().map(|field| field.name).filter(|name| !node.outputs.contains_key(*name)),
        );
        if let NodeKind::Set = node.kind {
            known.extend(node.inputs.iter().map(|(name, _)| name.as_str()));
        }
        Err(match known.is_empty() {
            true => format!("node {:?} has no outputs", node.id),
            false => format!("node {:?} has only the outputs {}", node.id, known.join(", ")),
        })
    }

    fn type_of(&self, reference: &Reference) -> ValueType {
        self.resolve(reference).unwrap_or_default()
    }
}

/// Returns the type of a value that a container provides to the nodes inside it.
fn within(container: &PlanNode, name: &str) -> Result<ValueType, String> {
    match (&container.kind, name) {
        (_, "index") => Ok(ValueType::Integer),
        (NodeKind::Each(_), "item") | (NodeKind::Loop(_), "last") => Ok(ValueType::Any),
        (NodeKind::Each(_), _) => Err(format!("within {:?} there are only item and index", container.id)),
        _ => Err(format!("within {:?} there are only index and last", container.id)),
    }
}
