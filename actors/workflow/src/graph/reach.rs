//! Questions of the engine about a plan and its nodes.

use expr::Template;

use super::{EachConfig, ListStep, NodeIx, NodeKind, OnItemError, Plan};

impl Plan {
    /// Whether every path from a node leads to `to`, so that only `to` needs the node.
    pub fn leads_only_to(&self, from: NodeIx, to: NodeIx) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut pending = vec![from];
        while let Some(at) = pending.pop() {
            if at == to || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let outgoing = &self.nodes[at].outgoing;
            if outgoing.is_empty() {
                return false;
            }
            pending.extend(outgoing.iter().map(|edge| self.edges[*edge].to));
        }
        true
    }

    /// Whether a node, or a node inside it, can be undone.
    pub fn undoes_within(&self, ix: NodeIx) -> bool {
        let node = &self.nodes[ix];
        node.policy.compensate.is_some() || node.children.iter().any(|child| self.undoes_within(*child))
    }
}

impl NodeKind {
    /// Whether the choice of the port is a decision that is recorded.
    pub fn decides(&self) -> bool {
        matches!(self, Self::If | Self::Switch(_) | Self::Classifier(_) | Self::Human(_) | Self::Wait(_))
    }

    /// Whether the node streams its text as part of the run's answer.
    pub fn speaks(&self) -> bool {
        match self {
            Self::Llm(llm) => llm.answer,
            Self::Agent(agent) => agent.llm.answer,
            _ => false,
        }
    }

    /// Whether the node calls a model.
    pub fn asks_model(&self) -> bool {
        matches!(self, Self::Llm(_) | Self::Agent(_) | Self::Classifier(_) | Self::Extract(_))
    }

    /// Returns the model that the author of the graph named.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Llm(llm) => llm.model.as_deref(),
            Self::Agent(agent) => agent.llm.model.as_deref(),
            Self::Classifier(classifier) => classifier.llm.model.as_deref(),
            Self::Extract(extract) => extract.llm.model.as_deref(),
            _ => None,
        }
    }

    /// Whether the node continues if an iteration fails.
    pub fn passes_failed(&self) -> bool {
        matches!(self, Self::Each(EachConfig { on_item_error: OnItemError::Null | OnItemError::Drop, .. }))
    }

    /// Whether the results omit items whose iteration failed.
    pub fn drops_failed(&self) -> bool {
        matches!(self, Self::Each(EachConfig { on_item_error: OnItemError::Drop, .. }))
    }

    /// Returns the templates in the configuration that are evaluated when the node begins.
    pub fn templates_on_the_spot<'a>(&'a self) -> Vec<&'a Template> {
        let Self::List(config) = self else { return Vec::new() };
        let of_step = |step: &'a ListStep| match step {
            ListStep::Filter(template) | ListStep::Map(template) | ListStep::Unique(template) => {
                Some(template)
            }
            ListStep::Sort { by, .. } => Some(by),
            ListStep::Slice { .. } => None,
        };
        config.steps.iter().filter_map(of_step).collect()
    }
}
