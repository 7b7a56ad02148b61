//! The catalog of node types: the inputs, outputs and ports of each type.

use runs::event::ValueType::{self, Any, Array, Boolean, File, Integer, Number, Object, String};

use super::config::NodeKind;
use super::policy::{Effect, Policy};

/// An input or output of a node type.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    pub name: &'static str,
    pub kind: ValueType,
    /// For an input: whether a node requires it.
    pub required: bool,
}

/// Describes a node type.
#[derive(Clone, Copy, Debug)]
pub struct TypeSpec {
    /// The type's name in a graph.
    pub name: &'static str,
    /// A description for users who edit graphs.
    pub about: &'static str,
    /// The inputs that the type accepts in `in`.
    pub inputs: &'static [FieldSpec],
    /// Whether nodes of the type accept additional inputs.
    pub open_inputs: bool,
    /// The outputs that are determined by the type alone.
    pub outputs: &'static [FieldSpec],
    /// Whether nodes of the type may have additional outputs.
    pub open_outputs: bool,
    /// The ports that are determined by the type alone. Other ports depend on the configuration of the node.
    pub ports: &'static [&'static str],
    /// The effect on external systems, unless the graph declares one.
    pub effect: Effect,
    /// Time limit of one attempt, in milliseconds, unless the graph sets one. 0 means no limit.
    pub timeout_ms: u64,
}

const fn must(name: &'static str, kind: ValueType) -> FieldSpec {
    FieldSpec { name, kind, required: true }
}

const fn may(name: &'static str, kind: ValueType) -> FieldSpec {
    FieldSpec { name, kind, required: false }
}

/// The defaults that the other types override.
const PLAIN: TypeSpec = TypeSpec {
    name: "",
    about: "",
    inputs: &[],
    open_inputs: false,
    outputs: &[],
    open_outputs: false,
    ports: &["out"],
    effect: Effect::Pure,
    timeout_ms: 10_000,
};

/// A type that calls a model.
const MODEL: TypeSpec = TypeSpec { timeout_ms: 120_000, ..PLAIN };

/// A type that waits without a time limit.
const WAITING: TypeSpec = TypeSpec { timeout_ms: 0, ..PLAIN };

pub const NODE_TYPES: &[TypeSpec] = &[
    TypeSpec { name: "start", about: "Where a run begins. Its outputs are the run's inputs.", ..PLAIN },
    TypeSpec {
        name: "answer",
        about: "Adds `in.text` to the run's answer.",
        inputs: &[must("text", Any)],
        outputs: &[must("text", String)],
        ..PLAIN
    },
    TypeSpec {
        name: "end",
        about: "Ends the run. Its inputs are the run's outputs.",
        open_inputs: true,
        ports: &[],
        ..PLAIN
    },
    TypeSpec {
        name: "fail",
        about: "Ends the run as failed, for the reason in `in.message`.",
        inputs: &[must("message", String), may("code", String)],
        ports: &[],
        ..PLAIN
    },
    TypeSpec {
        name: "llm",
        about: "Asks a model.",
        inputs: &[must("prompt", String), may("system", String)],
        outputs: &[must("text", String)],
        ..MODEL
    },
    TypeSpec {
        name: "agent",
        about: "A model with tools, which it may call again and again.",
        inputs: &[must("prompt", String), may("system", String)],
        outputs: &[must("text", String), must("calls", Array)],
        ..MODEL
    },
    TypeSpec {
        name: "classifier",
        about: "A model chooses one of the classes for a text; the class is the port.",
        inputs: &[must("text", String), may("system", String)],
        outputs: &[must("class", String), must("reason", String)],
        ports: &[],
        ..MODEL
    },
    TypeSpec {
        name: "extract",
        about: "A model reads an object that fits a JSON Schema out of a text.",
        inputs: &[must("text", String), may("system", String)],
        outputs: &[must("object", Any)],
        ..MODEL
    },
    TypeSpec {
        name: "retrieve",
        about: "Searches knowledge bases.",
        inputs: &[must("query", String)],
        outputs: &[must("passages", Array)],
        timeout_ms: 60_000,
        ..PLAIN
    },
    TypeSpec {
        name: "function",
        about: "Calls a function of a skill with its inputs.",
        open_inputs: true,
        outputs: &[must("result", Any)],
        effect: Effect::Once,
        timeout_ms: 60_000,
        ..PLAIN
    },
    TypeSpec {
        name: "tool",
        about: "Calls a tool with its inputs.",
        open_inputs: true,
        outputs: &[must("result", Any)],
        effect: Effect::Once,
        timeout_ms: 60_000,
        ..PLAIN
    },
    TypeSpec {
        name: "http",
        about: "Sends a request to another server.",
        inputs: &[must("url", String), may("headers", Object), may("query", Object), may("body", Any)],
        outputs: &[must("status", Integer), must("headers", Object), must("body", Any)],
        effect: Effect::Once,
        timeout_ms: 30_000,
        ..PLAIN
    },
    TypeSpec {
        name: "code",
        about: "Runs a script over its inputs. Its outputs are declared in `out`.",
        open_inputs: true,
        open_outputs: true,
        timeout_ms: 5_000,
        ..PLAIN
    },
    TypeSpec {
        name: "template",
        about: "Renders a text.",
        inputs: &[must("text", Any)],
        outputs: &[must("text", String)],
        ..PLAIN
    },
    TypeSpec {
        name: "set",
        about: "Sets variables: each input is the new value of the variable of its name.",
        open_inputs: true,
        ..PLAIN
    },
    TypeSpec {
        name: "list",
        about: "Filters, sorts, cuts and maps a list.",
        inputs: &[must("items", Array)],
        outputs: &[must("items", Array), must("count", Integer), must("first", Any), must("last", Any)],
        ..PLAIN
    },
    TypeSpec {
        name: "document",
        about: "Reads the text out of a file.",
        inputs: &[must("file", File)],
        outputs: &[must("text", String), must("pages", Integer), must("media_type", String)],
        timeout_ms: 60_000,
        ..PLAIN
    },
    TypeSpec {
        name: "if",
        about: "Continues through port `true` or `false`.",
        inputs: &[must("condition", Any)],
        outputs: &[must("result", Boolean)],
        ports: &["true", "false"],
        ..PLAIN
    },
    TypeSpec {
        name: "switch",
        about: "Continues through the port of the first case that equals its value, or through `default`.",
        inputs: &[must("value", Any)],
        outputs: &[must("case", String)],
        ports: &["default"],
        ..PLAIN
    },
    TypeSpec { name: "parallel", about: "Continues along all its edges at once.", ..PLAIN },
    TypeSpec {
        name: "join",
        about: "Waits for several branches: all of them, the first, or a given number.",
        outputs: &[must("arrived", Array)],
        ..PLAIN
    },
    TypeSpec {
        name: "each",
        about: "Runs the nodes in it once for each item of a list.",
        inputs: &[must("items", Array)],
        outputs: &[must("items", Array), must("count", Integer), must("failed", Integer)],
        ..WAITING
    },
    TypeSpec {
        name: "loop",
        about: "Runs the nodes in it again and again.",
        outputs: &[must("count", Integer), must("result", Any)],
        ..WAITING
    },
    TypeSpec {
        name: "break",
        about: "Ends the enclosing container after this iteration.",
        ports: &[],
        ..PLAIN
    },
    TypeSpec {
        name: "human",
        about: "Asks a person. The button that is pressed is the port.",
        inputs: &[may("title", String), may("message", String)],
        outputs: &[must("action", String), must("fields", Object), must("by", Any)],
        ports: &[],
        ..WAITING
    },
    TypeSpec {
        name: "wait",
        about: "Waits for an event from outside.",
        outputs: &[must("data", Any)],
        ..WAITING
    },
    TypeSpec {
        name: "delay",
        about: "Waits for a number of milliseconds, or until a time.",
        inputs: &[may("ms", Number), may("until", Any)],
        outputs: &[must("until", String)],
        ..WAITING
    },
    TypeSpec {
        name: "workflow",
        about: "Runs the workflow of another assistant.",
        open_inputs: true,
        open_outputs: true,
        effect: Effect::Idempotent,
        ..WAITING
    },
    TypeSpec {
        name: "video",
        about: "Makes a video.",
        inputs: &[must("prompt", String)],
        outputs: &[must("file", File)],
        effect: Effect::Idempotent,
        timeout_ms: 1_800_000,
        ..PLAIN
    },
];

/// Looks up a node type by its name in a graph.
pub(super) fn type_of(name: &str) -> Option<&'static TypeSpec> {
    NODE_TYPES.iter().find(|spec| spec.name == name)
}

impl TypeSpec {
    /// Looks up an input by its name.
    pub(super) fn input(&self, name: &str) -> Option<&FieldSpec> {
        self.inputs.iter().find(|field| field.name == name)
    }

    /// Looks up an output by its name.
    pub(super) fn output(&self, name: &str) -> Option<&FieldSpec> {
        self.outputs.iter().find(|field| field.name == name)
    }

    /// Whether a node of this type may contain other nodes.
    pub(super) fn is_container(&self) -> bool {
        matches!(self.name, "each" | "loop")
    }

    /// Whether a node of this type only controls the flow of a run: it has no effect that could be undone, and cannot undo
    /// anything.
    pub(super) fn only_leads(&self) -> bool {
        let leading = ["start", "answer", "end", "fail", "if", "switch", "parallel", "join", "break"];
        leading.contains(&self.name) || self.is_container() || matches!(self.name, "human" | "wait" | "delay")
    }
}

impl NodeKind {
    /// The name of the type in a graph.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Answer => "answer",
            Self::End => "end",
            Self::Fail => "fail",
            Self::Llm(_) => "llm",
            Self::Agent(_) => "agent",
            Self::Classifier(_) => "classifier",
            Self::Extract(_) => "extract",
            Self::Retrieve(_) => "retrieve",
            Self::Function(_) => "function",
            Self::Tool(_) => "tool",
            Self::Http(_) => "http",
            Self::Code(_) => "code",
            Self::Template => "template",
            Self::Set => "set",
            Self::List(_) => "list",
            Self::Document => "document",
            Self::If => "if",
            Self::Switch(_) => "switch",
            Self::Parallel => "parallel",
            Self::Join(_) => "join",
            Self::Each(_) => "each",
            Self::Loop(_) => "loop",
            Self::Break => "break",
            Self::Human(_) => "human",
            Self::Wait(_) => "wait",
            Self::Delay => "delay",
            Self::Workflow(_) => "workflow",
            Self::Video(_) => "video",
        }
    }

    /// The catalog entry of the type.
    pub fn spec(&self) -> &'static TypeSpec {
        type_of(self.type_name()).unwrap_or(&PLAIN)
    }

    /// The ports of a node with this configuration and policy.
    pub fn ports(&self, policy: &Policy) -> Vec<std::string::String> {
        let mut ports: Vec<std::string::String> = self.spec().ports.iter().map(ToString::to_string).collect();
        match self {
            Self::Switch(switch) => {
                ports.splice(0..0, switch.cases.iter().map(|case| case.port.clone())).for_each(drop)
            }
            Self::Classifier(classifier) => {
                ports.extend(classifier.classes.iter().map(|class| class.name.clone()))
            }
            Self::Human(human) => ports.extend(human.actions.iter().map(|action| action.name.clone())),
            _ => {}
        }
        let expires = match self {
            Self::Human(human) => human.expires_ms.is_some(),
            Self::Wait(wait) => wait.expires_ms.is_some(),
            _ => false,
        };
        ports.extend(expires.then(|| "expired".to_owned()));
        ports.extend((policy.on_error == super::OnError::Branch).then(|| "error".to_owned()));
        ports
    }

    /// The effect of a node with this configuration on external systems, unless the graph declares one.
    pub fn default_effect(&self) -> Effect {
        match self {
            Self::Http(http) if matches!(http.method.as_str(), "GET" | "HEAD") => Effect::Idempotent,
            Self::Tool(tool) if matches!(tool.tool.as_str(), "current_time" | "count_text") => Effect::Pure,
            // The effects of tools on other servers are not known here.
            Self::Agent(agent) if agent.tools.iter().any(|tool| tool.contains('/')) => Effect::Once,
            _ => self.spec().effect,
        }
    }
}
