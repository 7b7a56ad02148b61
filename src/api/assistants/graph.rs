//! Extracts from a workflow graph what the rules for assistants need.

use domain::assistants::{GraphUse, NodeTools, Reference};
use serde_json::Value;
use uuid::Uuid;
use workflow::graph::{LlmConfig, NodeKind, Plan, PlanNode};

/// Returns what the nodes of a graph use, or `None` for a graph that cannot be parsed.
pub fn read_graph(graph: &Value) -> Option<GraphUse> {
    let plan = Plan::read(graph).ok()?;
    let mut used = GraphUse { searches_knowledge: plan.searches(), ..GraphUse::default() };
    for node in &plan.nodes {
        used.references.extend(references(node));
        let (field, names) = match &node.kind {
            NodeKind::Tool(config) => ("tool", std::slice::from_ref(&config.tool)),
            NodeKind::Agent(config) => ("tools", config.tools.as_slice()),
            NodeKind::Http(config) => {
                used.logins.extend(config.service.clone());
                continue;
            }
            _ => continue,
        };
        let allows_wildcard = field == "tools";
        used.tools.push(NodeTools { node: node.id.clone(), field, names: names.to_vec(), allows_wildcard });
    }
    Some(used)
}

/// Returns the references of a node, each with its location: the id of the node, `config`, the field.
fn references(node: &PlanNode) -> Vec<(Vec<String>, Reference)> {
    let loc = |field: &[&str]| {
        let field = std::iter::once("config").chain(field.iter().copied());
        std::iter::once(node.id.clone()).chain(field.map(str::to_owned)).collect::<Vec<_>>()
    };
    let model = |name: &Option<String>| {
        let name = name.clone().map(Reference::Model);
        name.map(|name| (loc(&["model"]), name)).into_iter().collect::<Vec<_>>()
    };
    let of_llm = |llm: &LlmConfig| model(&llm.model);
    match &node.kind {
        NodeKind::Retrieve(config) => {
            let bases = config.knowledge_bases.iter().enumerate();
            let one = |(at, id): (usize, &Uuid)| {
                (loc(&["knowledge_bases", &at.to_string()]), Reference::KnowledgeBase(*id))
            };
            bases.map(one).collect()
        }
        NodeKind::Workflow(config) => {
            vec![(loc(&["assistant_id"]), Reference::Assistant(config.assistant_id))]
        }
        NodeKind::Function(config) => {
            let skill = config.skill_id.map(|id| (loc(&["skill_id"]), Reference::Skill(id)));
            skill.into_iter().collect()
        }
        NodeKind::Llm(config) => of_llm(config),
        NodeKind::Agent(config) => of_llm(&config.llm),
        NodeKind::Classifier(config) => of_llm(&config.llm),
        NodeKind::Extract(config) => of_llm(&config.llm),
        // Video models are offered separately; a node without a model fails at run time.
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
}
