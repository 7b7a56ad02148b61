//! What a graph refers to, held against the rights of who saves it.

use std::collections::HashSet;

use assist::RunContext;
use assist::offer::ModelChoices;
use serde_json::Value;
use storage::Reader;
use storage::records::{KnowledgeBase, Skill};
use uuid::Uuid;
use workflow::graph::{LlmConfig, NodeKind, Plan};

use super::access;
use crate::api::sharing;
use crate::http::{Api, Caller, Faults};

/// What a node refers to, by where it stands in the node's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Reference {
    KnowledgeBase(Uuid),
    Assistant(Uuid),
    Skill(Uuid),
    Model(String),
}

impl Reference {
    const fn name(&self) -> &'static str {
        match self {
            Self::KnowledgeBase(_) => "knowledge base",
            Self::Assistant(_) => "assistant",
            Self::Skill(_) => "skill",
            Self::Model(_) => "model",
        }
    }
}

/// Notes every knowledge base, assistant, skill and model of a graph that is not there for the caller. What the graph
/// referred to before may stay: those who share an assistant need not share all that it uses. When the graph runs, the
/// rights of whoever runs it are asked for again.
pub fn check(
    reader: &Reader,
    caller: &Caller,
    run_context: &RunContext,
    graph: &Value,
    before: Option<&Value>,
    faults: &mut Faults,
) -> Api<()> {
    // A graph with faults is refused for these.
    let Ok(plan) = Plan::read(graph) else { return Ok(()) };
    let before = before.and_then(|graph| Plan::read(graph).ok());
    let known: HashSet<Reference> =
        before.iter().flat_map(references).map(|(_, reference)| reference).collect();
    let mut terms = None;
    for (place, reference) in references(&plan).filter(|(_, reference)| !known.contains(reference)) {
        let found = match &reference {
            Reference::KnowledgeBase(id) => {
                let base = sharing::visible::<KnowledgeBase>(reader, caller, *id)?;
                // What an assistant knows by itself belongs to that assistant.
                base.is_some_and(|base| base.assistant_id.is_none())
            }
            Reference::Assistant(id) => access::visible(reader, caller, *id)?.is_some(),
            Reference::Skill(id) => sharing::visible::<Skill>(reader, caller, *id)?.is_some(),
            Reference::Model(name) => {
                if terms.is_none() {
                    terms = Some(ModelChoices::read(reader, caller.tenant, caller.user)?);
                }
                terms.as_ref().is_some_and(|terms| terms.find(&run_context.models, name).is_some())
            }
        };
        if !found {
            let loc = ["workflow", "nodes"].into_iter().chain(place.iter().map(String::as_str));
            faults.add(loc, format!("there is no such {}", reference.name()), "not_found");
        }
    }
    Ok(())
}

/// All references of a graph: the node, `config`, and the way to it from there.
fn references(plan: &Plan) -> impl Iterator<Item = (Vec<String>, Reference)> {
    plan.nodes.iter().flat_map(|node| {
        let place = |way: &[&str]| {
            let way = std::iter::once("config").chain(way.iter().copied());
            std::iter::once(node.id.clone()).chain(way.map(str::to_owned)).collect::<Vec<_>>()
        };
        let model = |name: &Option<String>| {
            let name = name.clone().map(Reference::Model);
            name.map(|name| (place(&["model"]), name)).into_iter().collect::<Vec<_>>()
        };
        let of_llm = |llm: &LlmConfig| model(&llm.model);
        match &node.kind {
            NodeKind::Retrieve(config) => {
                let bases = config.knowledge_bases.iter().enumerate();
                let one = |(at, id): (usize, &Uuid)| {
                    (place(&["knowledge_bases", &at.to_string()]), Reference::KnowledgeBase(*id))
                };
                bases.map(one).collect()
            }
            NodeKind::Workflow(config) => {
                vec![(place(&["assistant_id"]), Reference::Assistant(config.assistant_id))]
            }
            NodeKind::Function(config) => {
                let skill = config.skill_id.map(|id| (place(&["skill_id"]), Reference::Skill(id)));
                skill.into_iter().collect()
            }
            NodeKind::Llm(config) => of_llm(config),
            NodeKind::Agent(config) => of_llm(&config.llm),
            NodeKind::Classifier(config) => of_llm(&config.llm),
            NodeKind::Extract(config) => of_llm(&config.llm),
            // Models that make videos are offered apart; the node says itself that there is none.
            NodeKind::Video(_)
            | NodeKind::Start
            | NodeKind::Answer
            | NodeKind::End
            | NodeKind::Fail
            | NodeKind::Tool(_)
            | NodeKind::Http(_)
            | NodeKind::Code(_)
            | NodeKind::Template
            | NodeKind::Set
            | NodeKind::List(_)
            | NodeKind::Document
            | NodeKind::If
            | NodeKind::Switch(_)
            | NodeKind::Parallel
            | NodeKind::Join(_)
            | NodeKind::Each(_)
            | NodeKind::Loop(_)
            | NodeKind::Break
            | NodeKind::Human(_)
            | NodeKind::Wait(_)
            | NodeKind::Delay => Vec::new(),
        }
    })
}
