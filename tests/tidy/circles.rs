//! Import cycles among the files of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, UseTree, Visibility};

use super::layers::CRATES;
use super::{shipped, sources};

/// The largest permitted number of files that import each other. Larger groups have to be split.
const LARGEST: usize = 5;

/// A module's path from the root of its crate.
type Module = Vec<String>;

#[test]
fn import_cycles_of_files_are_small() {
    let mut large = Vec::new();
    for (name, _) in CRATES {
        large.extend(circles(&imports(name)).into_iter().filter(|circle| circle.len() > LARGEST));
    }
    assert_eq!(large, Vec::<Vec<String>>::new(), "files that import each other");
}

/// The names of other modules that a file uses.
#[derive(Default)]
struct Names {
    /// Paths, and whether the file exports what they refer to.
    paths: Vec<(bool, Vec<String>)>,
}

impl Names {
    fn tree(&mut self, exported: bool, above: &[String], tree: &UseTree) {
        let below = |name: &syn::Ident| [above, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.tree(exported, &below(&path.ident), &path.tree),
            UseTree::Name(name) => self.paths.push((exported, below(&name.ident))),
            UseTree::Rename(name) => self.paths.push((exported, below(&name.ident))),
            UseTree::Glob(_) => self.paths.push((exported, above.to_vec())),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(exported, above, item)),
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.tree(!matches!(item.vis, Visibility::Inherited), &[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // Excludes the path of a visibility modifier.
        if names.len() > 1 && ["crate", "super", "self"].contains(&names[0].as_str()) {
            self.paths.push((false, names));
        }
        visit::visit_path(self, path);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let arguments = attribute.parse_args::<syn::Ident>();
        attribute.path().is_ident("cfg") && arguments.is_ok_and(|argument| argument == "test")
    })
}

/// The modules of a crate, each with the modules that it imports from.
fn imports(name: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let base = Path::new(name).join("src");
    let inner = base.strip_prefix(".").unwrap_or(&base);
    let mut files: BTreeMap<Module, Names> = BTreeMap::new();
    for (path, text) in sources(&[base.to_str().expect("a path")]) {
        let path = path.strip_prefix(".").unwrap_or(&path).to_owned();
        if shipped(&path, "code").is_empty() {
            continue;
        }
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut names = Names::default();
        names.visit_file(&parsed);
        let inside = path.strip_prefix(inner).expect("a file of the crate").with_extension("");
        let mut module: Module =
            inside.iter().map(|part| part.to_str().expect("a name").to_owned()).collect();
        if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            module.pop();
        }
        files.entry(module).or_default().paths.extend(names.paths);
    }
    let crate_ = Crate::of(&files);
    let of_file = |(module, names): (&Module, &Names)| {
        let paths = names.paths.iter().filter_map(|(exported, path)| {
            let used = crate_.owner(&crate_.absolute(module, path)?, 0)?;
            // A module that re-exports items of its own folder does not use them.
            let is_facade = *exported && used.starts_with(module);
            (used != *module && !is_facade).then_some(used)
        });
        (module.clone(), paths.collect())
    };
    files.iter().map(of_file).collect()
}

/// The modules of a crate, with the items of other modules that each of them exports.
struct Crate<'a> {
    modules: BTreeSet<&'a Module>,
    exports: BTreeMap<(&'a Module, &'a str), Vec<String>>,
}

impl<'a> Crate<'a> {
    fn of(files: &'a BTreeMap<Module, Names>) -> Self {
        let mut known = Self { modules: files.keys().collect(), exports: BTreeMap::new() };
        for (module, names) in files {
            for (_, path) in names.paths.iter().filter(|(exported, _)| *exported) {
                if let (Some(target), Some(name)) = (known.absolute(module, path), path.last()) {
                    known.exports.insert((module, name), target);
                }
            }
        }
        known
    }

    /// A path relative to the root of the crate; `None` if it refers to another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let up = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([module.get(..module.len().checked_sub(up)?)?, &path[up..]].concat()),
            child => {
                let child = [module.as_slice(), &[child.to_owned()]].concat();
                self.modules.contains(&child).then(|| [module.as_slice(), path].concat())
            }
        }
    }

    /// The module that defines the item at an absolute path.
    fn owner(&self, path: &[String], depth: usize) -> Option<Module> {
        let at = (0..=path.len()).rev().find(|at| self.modules.contains(&path[..*at].to_vec()))?;
        let module = path[..at].to_vec();
        let export = path.get(at).and_then(|name| self.exports.get(&(&module, name.as_str())));
        match export.filter(|target| depth < 8 && target.as_slice() != path) {
            Some(target) => self.owner(&[target, &path[at + 1..]].concat(), depth + 1),
            None => Some(module),
        }
    }
}

/// Groups of modules that import each other, directly or indirectly.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<String>> {
    let reach = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&Module> = graph[from].iter().collect();
        while let Some(next) = waiting.pop() {
            if reached.insert(next) {
                waiting.extend(&graph[next]);
            }
        }
        reached
    };
    let reached: BTreeMap<_, _> = graph.keys().map(|module| (module, reach(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let circle: Vec<_> = others.iter().filter(|other| reached[*other].contains(module)).collect();
        if circle.len() > 1 {
            circles.insert(circle.iter().map(|module| module.join("::")).collect());
        }
    }
    circles.into_iter().collect()
}
