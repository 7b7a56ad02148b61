//! Ways to damage the graph of `graph_faults`, and the faults that each causes.

use serde_json::{Value, json};

use super::graph::edge;

/// A path, the value to put there, and the place and kind of each resulting fault.
pub type Case = (&'static str, Value, &'static [(&'static str, &'static str)]);

/// The shape of a graph and its nodes.
pub fn shape() -> Vec<Case> {
    vec![
        ("schema", json!(2), &[("schema", "unknown_value")]),
        ("hat", json!(1), &[("hat", "unknown_field")]),
        ("nodes", json!({}), &[("nodes", "wrong_type")]),
        ("inputs.2x", json!({"type": "string"}), &[("inputs.2x", "malformed")]),
        ("inputs.x", json!({"type": "text"}), &[("inputs.x.type", "unknown_value")]),
        ("inputs.x", json!({"type": "string", "default": 3}), &[("inputs.x.default", "type_mismatch")]),
        ("vars.x", json!({"type": "array", "initial": {}}), &[("vars.x.initial", "type_mismatch")]),
        ("vars.x", json!({"type": "array", "scope": "world"}), &[("vars.x.scope", "unknown_value")]),
        (
            "limits",
            json!({"max_steps": 0, "run_timeout_ms": -1, "concurrency": 65, "x": 1}),
            &[
                ("limits.max_steps", "out_of_range"),
                ("limits.run_timeout_ms", "wrong_type"),
                ("limits.concurrency", "out_of_range"),
                ("limits.x", "unknown_field"),
            ],
        ),
        (
            "nodes.+",
            json!({"type": "template", "in": {"text": "x"}}),
            &[("nodes.11.id", "missing"), ("nodes.11", "unreachable")],
        ),
        (
            "nodes.+",
            json!({"id": "write", "type": "start"}),
            &[("nodes.11.id", "duplicate"), ("nodes.11", "duplicate")],
        ),
        (
            "nodes.+",
            json!(7),
            &[
                ("nodes.11", "wrong_type"),
                ("nodes.11.id", "missing"),
                ("nodes.11.type", "missing"),
                ("nodes.11", "unreachable"),
            ],
        ),
        ("no.type", json!("teleport"), &[("nodes.no.type", "unknown_type")]),
        ("no.hat", json!(1), &[("nodes.no.hat", "unknown_field")]),
        ("no.in", json!([]), &[("nodes.no.in", "wrong_type"), ("nodes.no.in.text", "missing")]),
        ("no.in.x", json!(1), &[("nodes.no.in.x", "unknown_input")]),
        ("no.in.text", Value::Null, &[("nodes.no.in.text", "missing")]),
        ("no.in.text", json!("{{ oh"), &[("nodes.no.in.text", "template")]),
        ("no.in.text", json!("{{ x|shout }}"), &[("nodes.no.in.text", "template")]),
        ("no.out.html", json!({"type": "string"}), &[("nodes.no.out.html", "unknown_output")]),
        ("no.out.text", json!({"type": "array"}), &[("nodes.no.out.text", "type_mismatch")]),
        ("calc.in.2x", json!(1), &[("nodes.calc.in.2x", "malformed")]),
        ("calc.out.n", json!({"type": "n"}), &[("nodes.calc.out.n.type", "unknown_value")]),
    ]
}

pub fn policies() -> Vec<Case> {
    vec![
        (
            "call.policy",
            json!({"timeout_ms": 86_400_001u64, "on_error": "shrug", "effect": "pure", "x": 1}),
            &[
                ("nodes.call.policy.timeout_ms", "out_of_range"),
                ("nodes.call.policy.on_error", "unknown_value"),
                ("nodes.call.policy.effect", "not_allowed"),
                ("nodes.call.policy.x", "unknown_field"),
            ],
        ),
        (
            "call.policy.retry",
            json!({"max": 11, "base_ms": 60_001, "factor": 0.5, "max_ms": "1", "jitter": 2, "on": ["7xx", 3]}),
            &[
                ("nodes.call.policy.retry.max", "out_of_range"),
                ("nodes.call.policy.retry.base_ms", "out_of_range"),
                ("nodes.call.policy.retry.factor", "out_of_range"),
                ("nodes.call.policy.retry.max_ms", "wrong_type"),
                ("nodes.call.policy.retry.jitter", "out_of_range"),
                ("nodes.call.policy.retry.on.1", "wrong_type"),
                ("nodes.call.policy.retry.on.0", "malformed"),
            ],
        ),
        (
            "write.policy",
            json!({"on_error": "continue", "default": {"text": 1, "x": 2}}),
            &[
                ("nodes.write.policy.default.text", "type_mismatch"),
                ("nodes.write.policy.default.x", "unknown_output"),
            ],
        ),
        ("write.policy", json!({"default": {"text": "x"}}), &[("nodes.write.policy.default", "not_allowed")]),
        ("check.policy.on_error", json!("continue"), &[("nodes.check.policy.on_error", "not_allowed")]),
        ("start.policy.on_error", json!("branch"), &[("nodes.start.policy.on_error", "not_allowed")]),
        ("call.policy.compensate", json!("unknown"), &[("nodes.call.policy.compensate", "dangling")]),
        ("call.policy.compensate", json!("call"), &[("nodes.call.policy.compensate", "not_allowed")]),
        ("call.policy.compensate", json!("check"), &[("nodes.call.policy.compensate", "not_allowed")]),
        ("check.policy.compensate", json!("no"), &[("nodes.check.policy.compensate", "not_allowed")]),
        ("call.policy.compensate", json!("two"), &[("nodes.call.policy.compensate", "not_allowed")]),
        (
            "call.policy.compensate",
            json!("calc"),
            &[("edges.8.to", "not_allowed"), ("edges.9.from", "not_allowed"), ("nodes.done", "unreachable")],
        ),
    ]
}

/// Edges, containers, names.
pub fn joints() -> Vec<Case> {
    vec![
        ("edges.+", edge("yes unknown"), &[("edges.10.to", "dangling")]),
        ("edges.+", edge("unknown yes"), &[("edges.10.from", "dangling")]),
        (
            "edges.+",
            json!({"from": "yes", "x": 1}),
            &[("edges.10.to", "missing"), ("edges.10.x", "unknown_field")],
        ),
        ("edges.+", edge("start write"), &[("edges.10", "duplicate")]),
        ("edges.+", edge("yes one"), &[("edges.10", "crosses_container")]),
        ("edges.+", edge("check.maybe done"), &[("edges.10.port", "unknown_port")]),
        ("edges.+", edge("check done"), &[("edges.10.port", "unknown_port")]),
        ("edges.+", edge("write.error done"), &[("edges.10.port", "unknown_port")]),
        ("edges.+", edge("done yes"), &[("edges.10.from", "not_allowed")]),
        ("edges.+", edge("yes start"), &[("edges.10.to", "not_allowed")]),
        ("edges.+", edge("calc write"), &[("nodes.write", "cycle")]),
        ("edges.+", edge("two one"), &[("nodes.one", "cycle")]),
        ("edges.+", edge("yes yes"), &[("nodes.yes", "cycle")]),
        (
            "nodes.+",
            json!({"id": "lost", "type": "template", "in": {"text": "x"}}),
            &[("nodes.lost", "unreachable")],
        ),
        ("nodes.+", json!({"id": "second", "type": "start"}), &[("nodes.second", "duplicate")]),
        (
            "start.type",
            json!("parallel"),
            &[
                ("nodes", "missing"),
                ("nodes.write.in.prompt", "unresolved_reference"),
                ("nodes.items.in.items", "unresolved_reference"),
            ],
        ),
        (
            "start.parent",
            json!("items"),
            &[
                ("edges.0", "crosses_container"),
                ("nodes.start.parent", "not_allowed"),
                ("nodes.write", "unreachable"),
            ],
        ),
        ("no.parent", json!("unknown"), &[("nodes.no.parent", "dangling")]),
        ("no.parent", json!("check"), &[("nodes.no.parent", "not_allowed")]),
        ("items.parent", json!("items"), &[("nodes.items.parent", "cycle")]),
        (
            "one.parent",
            json!(3),
            &[
                ("nodes.one.parent", "wrong_type"),
                ("edges.6", "crosses_container"),
                ("nodes.one", "unreachable"),
                ("nodes.one.in.text", "unresolved_reference"),
            ],
        ),
        (
            "nodes.+",
            json!({"id": "b", "type": "break"}),
            &[("nodes.b", "not_allowed"), ("nodes.b", "unreachable")],
        ),
        ("nodes.+", json!({"id": "empty", "type": "loop", "parent": "items"}), &[("nodes.empty", "missing")]),
        (
            "calc.id",
            json!("vars"),
            &[
                ("nodes.vars.id", "reserved"),
                ("edges.8.to", "dangling"),
                ("edges.9.from", "dangling"),
                ("nodes.vars", "unreachable"),
                ("nodes.done", "unreachable"),
            ],
        ),
        (
            "calc.id",
            json!("a b"),
            &[
                ("nodes.a b.id", "malformed"),
                ("edges.8.to", "dangling"),
                ("edges.9.from", "dangling"),
                ("nodes.a b", "unreachable"),
                ("nodes.done", "unreachable"),
            ],
        ),
    ]
}

/// References and types of values.
pub fn references() -> Vec<Case> {
    const PROMPT: &[(&str, &str)] = &[("nodes.write.in.prompt", "unresolved_reference")];
    const TEXT: &[(&str, &str)] = &[("nodes.no.in.text", "unresolved_reference")];
    vec![
        ("write.in.prompt", json!("{{ unknown.text }}"), PROMPT),
        ("write.in.prompt", json!("{{ start.colour }}"), PROMPT),
        ("write.in.prompt", json!("{{ inputs.colour }}"), PROMPT),
        ("write.in.prompt", json!("{{ vars.colour }}"), PROMPT),
        ("write.in.prompt", json!("{{ run.colour }}"), PROMPT),
        ("write.in.prompt", json!("{{ check.result }}"), PROMPT),
        ("write.in.prompt", json!("{{ write.text }}"), PROMPT),
        ("write.in.prompt", json!("{{ item }}"), PROMPT),
        ("no.in.text", json!("{{ yes.text }}"), TEXT),
        ("no.in.text", json!("{{ write.html }}"), TEXT),
        ("no.in.text", json!("{{ write.error.message }}"), TEXT),
        ("no.in.text", json!({"deep": ["{{ unknown }}"]}), TEXT),
        ("no.in.text", json!("{% for x in unknown %}{{ x }}{% endfor %}"), TEXT),
        ("done.in.all", json!("{{ one.text }}"), &[("nodes.done.in.all", "unresolved_reference")]),
        ("done.in.all", json!("{{ items.item }}"), &[("nodes.done.in.all", "unresolved_reference")]),
        ("done.in.all", json!("{{ run.other }}"), &[("nodes.done.in.all", "unresolved_reference")]),
        ("two.in.text", json!("{{ items.count }}"), &[("nodes.two.in.text", "unresolved_reference")]),
        (
            "items.config.result",
            json!("{{ call.body }}"),
            &[("nodes.items.config.result", "unresolved_reference")],
        ),
        ("write.in.prompt", json!("{{ start.n }}"), &[("nodes.write.in.prompt", "type_mismatch")]),
        ("write.in.prompt", json!(3), &[("nodes.write.in.prompt", "type_mismatch")]),
        ("items.in.items", json!("{{ start.topic }}"), &[("nodes.items.in.items", "type_mismatch")]),
        ("items.in.items", json!("{{ start.list }}!"), &[("nodes.items.in.items", "type_mismatch")]),
        ("items.in.items", json!({"a": "{{ start.list }}"}), &[("nodes.items.in.items", "type_mismatch")]),
        ("call.in.headers", json!(["{{ start.n }}"]), &[("nodes.call.in.headers", "type_mismatch")]),
    ]
}

/// A type of node, its inputs and its configuration, and the faults of the configuration.
pub type Configuration = (&'static str, Value, Value, &'static [(&'static str, &'static str)]);

/// Faulty configurations.
pub fn configurations() -> Vec<Configuration> {
    let text = json!({"text": "x"});
    vec![
        (
            "llm",
            json!({"prompt": "x"}),
            json!({"modle": "x", "answer": 1}),
            &[("answer", "wrong_type"), ("modle", "unknown_field")],
        ),
        (
            "agent",
            json!({"prompt": "x"}),
            json!({"tools": [""], "max_turns": 101}),
            &[("tools.0", "wrong_type"), ("max_turns", "out_of_range")],
        ),
        ("classifier", text.clone(), json!({"classes": [{"name": "a"}]}), &[("classes", "missing")]),
        (
            "classifier",
            text.clone(),
            json!({"classes": [{"name": "a"}, {"name": "a"}, {"name": "error"}, {}], "fallback": "b"}),
            &[
                ("classes.3.name", "missing"),
                ("classes.1.name", "duplicate"),
                ("classes.2.name", "reserved"),
                ("fallback", "unknown_value"),
            ],
        ),
        ("extract", text.clone(), json!({}), &[("schema", "missing")]),
        (
            "extract",
            text,
            json!({"schema": {"type": "thing"}, "repairs": 9}),
            &[("schema", "malformed"), ("repairs", "out_of_range")],
        ),
        (
            "extract",
            json!({"text": "x"}),
            json!({"schema": long_chain_of_references()}),
            &[("schema", "malformed")],
        ),
        (
            "retrieve",
            json!({"query": "x"}),
            json!({"knowledge_bases": ["x"], "limit": 0}),
            &[("knowledge_bases.0", "malformed"), ("limit", "out_of_range")],
        ),
        (
            "function",
            json!({}),
            json!({"skill_id": "x"}),
            &[("skill_id", "malformed"), ("function", "missing")],
        ),
        ("tool", json!({}), json!({"tool": ""}), &[("tool", "missing")]),
        (
            "http",
            json!({"url": "https://x"}),
            json!({"method": "get", "secret_headers": {"a b": ""}, "accept_status": [200], "max_bytes": 0}),
            &[
                ("method", "unknown_value"),
                ("secret_headers.a b", "malformed"),
                ("secret_headers.a b", "wrong_type"),
                ("max_bytes", "out_of_range"),
                ("accept_status.0", "out_of_range"),
            ],
        ),
        (
            "code",
            json!({}),
            json!({"code": "", "memory_bytes": 1}),
            &[("code", "missing"), ("memory_bytes", "out_of_range")],
        ),
        (
            "list",
            json!({"items": []}),
            json!({"steps": [{"op": "shuffle"}, {}, {"op": "filter"}, {"op": "slice", "start": "x", "by": 1}, {"op": "map", "to": "{{ unknown }}"}]}),
            &[
                ("steps.0.op", "unknown_value"),
                ("steps.1.op", "missing"),
                ("steps.2.where", "missing"),
                ("steps.3.start", "wrong_type"),
                ("steps.3.by", "unknown_field"),
                ("steps.4.to", "unresolved_reference"),
            ],
        ),
        ("switch", json!({"value": 1}), json!({}), &[("cases", "missing")]),
        (
            "switch",
            json!({"value": 1}),
            json!({"cases": [{"port": "default", "value": 1}, {"port": "a"}]}),
            &[("cases.1.value", "missing"), ("cases.0.port", "reserved")],
        ),
        (
            "join",
            json!({}),
            json!({"mode": "most", "others": "kill"}),
            &[("mode", "unknown_value"), ("others", "unknown_value")],
        ),
        ("join", json!({}), json!({"mode": {"n": 2}}), &[("mode", "out_of_range")]),
        (
            "human",
            json!({}),
            json!({"fields": [{"name": "a b"}, {"name": "x", "type": "integer", "options": ["1"], "default": "2"}, {"name": "x"}, {"name": "title"}], "expires_ms": 0}),
            &[
                ("expires_ms", "out_of_range"),
                ("fields.0.name", "malformed"),
                ("fields.1.options.0", "type_mismatch"),
                ("fields.1.default", "type_mismatch"),
                ("fields.2.name", "duplicate"),
                ("fields.3.name", "reserved"),
                ("actions", "missing"),
            ],
        ),
        (
            "human",
            json!({}),
            json!({"actions": [{"name": "yes"}, {"name": "yes"}, {"name": "expired"}]}),
            &[("actions.1.name", "duplicate"), ("actions.2.name", "reserved")],
        ),
        ("wait", json!({}), json!({}), &[("event", "missing")]),
        ("workflow", json!({}), json!({}), &[("assistant_id", "missing")]),
        (
            "video",
            json!({"prompt": "x"}),
            json!({"size": "big", "seconds": 0}),
            &[("size", "malformed"), ("seconds", "out_of_range")],
        ),
    ]
}

/// A schema of 500 references, each to the next. A validator follows them recursively.
fn long_chain_of_references() -> Value {
    let next = |at: usize| (at.to_string(), json!({"$ref": format!("#/$defs/{}", at + 1)}));
    let links: serde_json::Map<_, _> = (0..500).map(next).chain([("500".to_owned(), json!({}))]).collect();
    json!({"$ref": "#/$defs/0", "$defs": links})
}
