//! Random graphs that always terminate. The same seed and options produce the same graph.
//!
//! Graphs consist of blocks in sequence, so that edges never form a cycle: single nodes, branches that merge again,
//! forks with a join, and containers with nested blocks.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Properties of a random graph.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// The approximate number of nodes.
    pub nodes: usize,
    /// Base URL to which `http` nodes send their requests, followed by `/<id of the node>`. Without it there are no
    /// such nodes.
    pub http: Option<String>,
    /// Effects that `http` nodes declare, one per node.
    pub effects: Vec<&'static str>,
    /// Whether there may be `code` nodes.
    pub code: bool,
    /// Whether its outputs may depend on which branch is faster.
    pub races: bool,
    /// Maximum nesting depth of containers.
    pub depth: usize,
}

impl Default for GraphOptions {
    fn default() -> Self {
        let effects = vec!["idempotent", "once", "irreversible"];
        Self { nodes: 20, http: None, effects, code: true, races: true, depth: 2 }
    }
}

/// A graph with one optional integer input, `seed`, and the outputs `last` and `count`.
pub fn random_graph(seed: u64, options: &GraphOptions) -> Value {
    let rng = StdRng::seed_from_u64(seed);
    let mut maker = Maker {
        rng,
        options,
        nodes: Vec::new(),
        edges: Vec::new(),
        left: options.nodes,
        number: 0,
        alone: true,
    };
    maker.nodes.push(json!({"id": "start", "type": "start"}));
    let mut place =
        BlockPosition { parent: None, depth: 0, seen: vec!["start.seed".to_owned(), "vars.v0".to_owned()] };
    let exits = maker.blocks(vec![("start".into(), "out".into())], &mut place, options.nodes);
    let last = place.seen.last().cloned().unwrap_or_default();
    maker.nodes.push(json!({"id": "done", "type": "end",
        "in": {"last": format!("{{{{ {last} }}}}"), "count": "{{ vars.v0 }}", "seed": "{{ start.seed }}"}}));
    maker.lead(&exits, "done");
    json!({
        "schema": 1,
        "inputs": {"seed": {"type": "integer", "default": seed % 100}},
        "vars": {"v0": {"type": "integer", "initial": 0}, "v1": {"type": "string", "initial": ""}},
        "nodes": maker.nodes,
        "edges": maker.edges,
    })
}

/// Outgoing ports that are not connected yet: a node and its port.
type Exits = Vec<(String, String)>;

/// The position at which blocks are added.
#[derive(Clone)]
struct BlockPosition {
    parent: Option<String>,
    depth: usize,
    /// Expressions that may be referred to: values that are texts, numbers or null.
    seen: Vec<String>,
}

struct Maker<'w> {
    rng: StdRng,
    options: &'w GraphOptions,
    nodes: Vec<Value>,
    edges: Vec<Value>,
    left: usize,
    number: usize,
    /// Whether nothing runs in parallel with the block that is being created.
    alone: bool,
}

impl Maker<'_> {
    fn id(&mut self, prefix: &str) -> String {
        self.number += 1;
        self.left = self.left.saturating_sub(1);
        format!("{prefix}{}", self.number)
    }

    fn lead(&mut self, exits: &Exits, to: &str) {
        for (from, port) in exits {
            self.edges.push(json!({"from": from, "port": port, "to": to}));
        }
    }

    /// Adds a node at the position and connects all the exits to it.
    fn add(&mut self, entries: &Exits, place: &BlockPosition, mut node: Value) -> String {
        let id = node["id"].as_str().unwrap_or_default().to_owned();
        if let Some(parent) = &place.parent {
            node["parent"] = json!(parent);
        }
        self.nodes.push(node);
        self.lead(entries, &id);
        id
    }

    /// A truncated reference to a visible value, for use in a text.
    fn some(&mut self, place: &BlockPosition) -> String {
        let seen = place.seen.choose(&mut self.rng).cloned().unwrap_or_default();
        format!("{{{{ {seen}|string|truncate(12) }}}}")
    }

    /// A number that depends on a visible value.
    fn length(&mut self, place: &BlockPosition) -> String {
        let seen = place.seen.choose(&mut self.rng).cloned().unwrap_or_default();
        format!("{seen}|string|length")
    }

    /// One to `most` blocks in sequence.
    fn blocks(&mut self, mut entries: Exits, place: &mut BlockPosition, most: usize) -> Exits {
        for turn in 0..most {
            if turn > 0 && self.left == 0 {
                break;
            }
            entries = self.block(entries, place);
        }
        entries
    }

    fn block(&mut self, entries: Exits, place: &mut BlockPosition) -> Exits {
        let composed = self.left > 3 && place.depth < 6;
        match self.rng.random_range(0..20) {
            0..=2 if composed => self.branches(entries, place, true),
            3..=4 if composed => self.branches(entries, place, false),
            5..=7 if composed => self.fork(entries, place),
            8..=9 if composed && self.may_contain(place) => self.each(entries, place),
            10..=11 if composed && self.may_contain(place) => self.repeat(entries, place),
            _ => self.step(entries, place),
        }
    }

    fn may_contain(&self, place: &BlockPosition) -> bool {
        place.depth < self.options.depth
    }

    /// A single node that performs a step.
    fn step(&mut self, entries: Exits, place: &mut BlockPosition) -> Exits {
        let (text, length) = (self.some(place), self.length(place));
        let kind = self.rng.random_range(0..10);
        let (id, seen) = if kind < 2 && self.options.http.is_some() {
            let (id, effect) =
                (self.id("h"), self.options.effects.choose(&mut self.rng).copied().unwrap_or("once"));
            let url = format!("{}/{id}", self.options.http.as_deref().unwrap_or_default());
            let node = json!({"id": id, "type": "http", "config": {"method": "POST"}, "policy": {"effect": effect},
                "in": {"url": url, "body": {"text": text, "n": format!("{{{{ {length} }}}}")}}});
            (self.add(&entries, place, node), "status")
        } else if kind < 4 && self.options.code {
            let code = "function main(inputs) { return {n: inputs.n * 2 + 1, text: 'c' + inputs.text}; }";
            let node = json!({"id": self.id("c"), "type": "code", "config": {"code": code},
                "in": {"text": text, "n": format!("{{{{ {length} }}}}")},
                "out": {"n": {"type": "integer"}, "text": {"type": "string"}}});
            (self.add(&entries, place, node), "text")
        } else if kind < 6 && (self.alone || self.options.races) {
            let value = format!("{{{{ vars.v0 + {length} }}}}");
            let node =
                json!({"id": self.id("s"), "type": "set", "in": {"v0": value, "v1": format!("{text}.")}});
            (self.add(&entries, place, node), "v0")
        } else if kind == 6 {
            let items = format!("{{{{ range({length} % 5)|list }}}}");
            let steps = json!([{"op": "filter", "where": "{{ item != 1 }}"}, {"op": "map", "to": "{{ item * 3 }}"},
                {"op": "sort", "by": "{{ item }}", "descending": true}]);
            let node = json!({"id": self.id("l"), "type": "list", "in": {"items": items}, "config": {"steps": steps}});
            (self.add(&entries, place, node), "count")
        } else {
            let node = json!({"id": self.id("t"), "type": "template", "in": {"text": format!("t {text} {}", self.number)}});
            (self.add(&entries, place, node), "text")
        };
        place.seen.push(format!("{id}.{seen}"));
        vec![(id, "out".into())]
    }

    /// Branches of which one is taken, and which merge again.
    fn branches(&mut self, entries: Exits, place: &mut BlockPosition, two: bool) -> Exits {
        let length = self.length(place);
        let (id, ports) = if two {
            let condition = format!("{{{{ {length} % 2 == 0 }}}}");
            let node = json!({"id": self.id("if"), "type": "if", "in": {"condition": condition}});
            (self.add(&entries, place, node), vec!["true", "false"])
        } else {
            let cases = json!([{"port": "zero", "value": 0}, {"port": "one", "value": 1}]);
            let value = format!("{{{{ {length} % 3 }}}}");
            let node = json!({"id": self.id("sw"), "type": "switch", "in": {"value": value}, "config": {"cases": cases}});
            (self.add(&entries, place, node), vec!["zero", "one", "default"])
        };
        let mut exits = Exits::new();
        let mut seen = place.seen.clone();
        for port in ports {
            let entry = vec![(id.clone(), port.to_owned())];
            if self.rng.random_bool(0.2) && !exits.iter().any(|exit| exit.0 == id) {
                // An empty branch.
                exits.extend(entry);
                continue;
            }
            let mut branch = place.clone();
            branch.depth += 1;
            exits.extend(self.blocks(entry, &mut branch, 2));
            seen.extend(branch.seen.split_off(place.seen.len()));
        }
        place.seen = seen;
        exits
    }

    /// Branches that are all taken, and a join.
    fn fork(&mut self, entries: Exits, place: &mut BlockPosition) -> Exits {
        let fork = json!({"id": self.id("p"), "type": "parallel"});
        let fork = self.add(&entries, place, fork);
        let branches = self.rng.random_range(2..=3);
        let alone = std::mem::replace(&mut self.alone, false);
        let mut exits = Exits::new();
        let mut seen = place.seen.clone();
        for _ in 0..branches {
            let mut branch = place.clone();
            branch.depth += 1;
            exits.extend(self.blocks(vec![(fork.clone(), "out".into())], &mut branch, 2));
            seen.extend(branch.seen.split_off(place.seen.len()));
        }
        self.alone = alone;
        let mode = match self.rng.random_range(0..4) {
            0 if self.options.races => json!("any"),
            // At least one of the edges that lead out of each branch is taken.
            1 if self.options.races => json!({"n": self.rng.random_range(1..=branches)}),
            _ => json!("all"),
        };
        let others = if self.options.races && self.rng.random_bool(0.5) { "keep" } else { "cancel" };
        let join = json!({"id": self.id("j"), "type": "join", "config": {"mode": mode, "others": others}});
        let id = self.add(&exits, place, join);
        // If branches are cancelled, the values in them may be missing.
        if self.options.races || mode == "all" {
            place.seen = seen;
        }
        vec![(id, "out".into())]
    }

    fn each(&mut self, entries: Exits, place: &mut BlockPosition) -> Exits {
        let (id, length) = (self.id("each"), self.length(place));
        let concurrency = self.rng.random_range(1..=3);
        let ways = ["stop", "null", "drop"];
        let way = ways.choose(&mut self.rng).copied().unwrap_or("stop");
        let node = json!({"id": id, "type": "each", "in": {"items": format!("{{{{ range({length} % 4)|list }}}}")},
            "config": {"concurrency": concurrency, "on_item_error": way, "result": format!("{{{{ {id}.index }}}}")}});
        self.add(&entries, place, node);
        let alone = self.alone;
        self.alone &= concurrency == 1;
        self.fill(&id, place, &[format!("{id}.item"), format!("{id}.index")]);
        self.alone = alone;
        place.seen.push(format!("{id}.count"));
        vec![(id, "out".into())]
    }

    fn repeat(&mut self, entries: Exits, place: &mut BlockPosition) -> Exits {
        let id = self.id("loop");
        let (turns, max) = (self.rng.random_range(0..4), self.rng.random_range(4..8));
        let node = json!({"id": id, "type": "loop", "config": {"max": max, "while": format!("{{{{ {id}.index < {turns} }}}}"),
            "result": format!("{{{{ {id}.index * 10 }}}}")}});
        self.add(&entries, place, node);
        self.fill(&id, place, &[format!("{id}.index"), format!("{id}.last")]);
        if self.rng.random_bool(0.3) {
            let within = BlockPosition { parent: Some(id.clone()), ..place.clone() };
            let condition = format!("{{{{ {id}.index > 1 }}}}");
            let test = json!({"id": self.id("if"), "type": "if", "in": {"condition": condition}});
            let test = self.add(&Exits::new(), &within, test);
            let stop = json!({"id": self.id("b"), "type": "break"});
            self.add(&vec![(test, "true".into())], &within, stop);
        }
        place.seen.push(format!("{id}.count"));
        vec![(id, "out".into())]
    }

    /// Puts blocks into a container.
    fn fill(&mut self, id: &str, place: &BlockPosition, more: &[String]) {
        let mut within =
            BlockPosition { parent: Some(id.to_owned()), depth: place.depth + 1, seen: place.seen.clone() };
        within.seen.extend(more.iter().cloned());
        self.blocks(Exits::new(), &mut within, 2);
    }
}
