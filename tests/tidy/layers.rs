//! The permitted dependencies between crates, and between the modules of each crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{root, shipped, sources};

/// Dependencies between the crates of the workspace, by folder. Each crate may use only those of the crates above it
/// that it lists.
pub(super) const CRATES: [(&str, &[&str]); 14] = [
    ("confinement", &[]),
    ("tasks", &[]),
    ("telemetry", &["tasks"]),
    ("storage", &["tasks", "telemetry"]),
    ("domain", &["storage"]),
    ("sandbox", &["confinement", "tasks"]),
    ("providers", &["tasks", "telemetry"]),
    ("knowledge", &["confinement", "tasks"]),
    ("actors/expr", &[]),
    ("actors/runs", &["domain", "storage", "tasks", "telemetry"]),
    (
        "actors/assist",
        &["domain", "knowledge", "providers", "runs", "sandbox", "storage", "tasks", "telemetry"],
    ),
    (
        "actors/workflow",
        &[
            "assist",
            "domain",
            "expr",
            "knowledge",
            "providers",
            "runs",
            "sandbox",
            "storage",
            "tasks",
            "telemetry",
        ],
    ),
    ("actors/jobs", &["assist", "domain", "knowledge", "providers", "runs", "storage", "tasks", "telemetry"]),
    (
        ".",
        &[
            "assist",
            "confinement",
            "domain",
            "jobs",
            "knowledge",
            "providers",
            "runs",
            "sandbox",
            "storage",
            "tasks",
            "telemetry",
            "workflow",
        ],
    ),
];

#[test]
fn crates_depend_in_one_direction() {
    for (at, (name, allowed)) in CRATES.iter().enumerate() {
        let above: BTreeSet<_> = CRATES[..at].iter().map(|(folder, _)| package(folder)).collect();
        assert!(allowed.iter().all(|used| above.contains(used)), "{name} is listed before what it uses");
        let manifest = std::fs::read_to_string(root().join(name).join("Cargo.toml")).expect("a manifest");
        let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let used: BTreeSet<_> =
            names.filter(|used| CRATES.iter().any(|(folder, _)| package(folder) == *used)).collect();
        assert_eq!(used, allowed.iter().copied().collect(), "dependencies of {name}");
    }
}

/// The name of the crate in a folder.
fn package(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

#[test]
fn modules_depend_in_one_direction() {
    for (name, _) in CRATES {
        assert_eq!(
            cycles(&imports(name)),
            Vec::<Vec<String>>::new(),
            "modules of {name} that import each other"
        );
    }
}

/// The top-level modules of a crate, each with the top-level modules that it imports.
fn imports(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let base = Path::new(name).join("src");
    let folder = base.to_str().expect("a path");
    let top = |path: &Path| {
        let inner = path.strip_prefix(base.strip_prefix(".").unwrap_or(&base)).expect("a file of the crate");
        let first = inner.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources(&[folder]) {
        let path = path.strip_prefix(".").unwrap_or(&path).to_owned();
        let module = top(&path);
        let is_of_tests = shipped(&path, "code").is_empty();
        if !is_of_tests && !["lib", "main"].contains(&module.as_str()) {
            // A test file is declared above the imports; a test module is located below all code.
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            graph.entry(module).or_default().extend(named(code));
        }
    }
    let reexports = reexports(folder);
    for used in graph.values_mut() {
        let modules: Vec<_> = used.iter().filter_map(|name| reexports.get(name).cloned()).collect();
        used.extend(modules);
    }
    let modules: BTreeSet<_> = graph.keys().cloned().collect();
    for (module, used) in &mut graph {
        used.retain(|other| other != module && modules.contains(other));
    }
    graph
}

/// The names that `lib.rs` exports from modules of the crate, each with its module.
fn reexports(folder: &str) -> BTreeMap<String, String> {
    let lib = std::fs::read_to_string(root().join(folder).join("lib.rs")).unwrap_or_default();
    let exports = lib.split(";").filter_map(|item| {
        let (_, export) = item.split_once("pub use ").or_else(|| item.split_once("pub(crate) use "))?;
        export.split_once("::")
    });
    let named = exports.flat_map(|(module, names)| {
        let names = names.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        names.filter(|name| !name.is_empty()).map(|name| (name.to_owned(), module.to_owned()))
    });
    named.collect()
}

/// The names that follow `crate::` in a source.
fn named(text: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let is_of_a_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut names = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        if let Some(list) = after.strip_prefix('{') {
            let mut depth = 0;
            let mut begins = true;
            let mut name = String::new();
            for letter in list.chars() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        names.insert(std::mem::take(&mut name));
                        begins = true;
                        continue;
                    }
                    letter if depth == 0 && begins && is_of_a_name(letter) => name.push(letter),
                    letter if depth == 0 && !letter.is_whitespace() => begins = false,
                    _ => {}
                }
            }
            names.insert(name);
        } else {
            names.insert(after.chars().take_while(|letter| is_of_a_name(*letter)).collect());
        }
    }
    names
}

/// Groups of modules that import each other, directly or indirectly.
fn cycles(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&String> = graph[from].iter().collect();
        while let Some(next) = waiting.pop() {
            if reached.insert(next.clone()) {
                waiting.extend(&graph[next]);
            }
        }
        reached
    };
    let reached: BTreeMap<_, _> = graph.keys().map(|module| (module, reach(module))).collect();
    let mut groups = BTreeSet::new();
    for (module, others) in reached.iter().filter(|(module, others)| others.contains(**module)) {
        let group: Vec<String> =
            others.iter().filter(|other| reached[other].contains(*module)).cloned().collect();
        groups.insert(group);
    }
    groups.into_iter().collect()
}
