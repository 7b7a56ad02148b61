//! All operations with their requirements on callers: used to explain refusals and to generate the page of the
//! documentation that lists them.

use super::access::AccessRule;
use super::area::{Area, AreaEntry, OperationDescription};
use domain::access::level_name;
use domain::access::policy::{Requirement, role_name};
use std::fmt::Write;
use storage::authority::Feature;

/// An operation with its requirements on callers.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The operation id, for example `assistants.get_assistant`.
    pub id: String,
    /// The HTTP method in lower case.
    pub method: &'static str,
    /// The path, in the notation of the document.
    pub path: String,
    /// The access rule, including the feature of the area.
    pub rule: AccessRule,
}

/// Returns all operations, by area.
pub(super) fn all(areas: &[AreaEntry]) -> Vec<Registered> {
    let of_area = |entry: &AreaEntry| {
        let (feature, (described, _)) = (entry.feature, Area::describe(entry));
        described.into_iter().map(move |one| register(one, feature))
    };
    areas.iter().flat_map(of_area).collect()
}

fn register(described: OperationDescription, feature: Option<Feature>) -> Registered {
    let OperationDescription { path, method, operation, rule, .. } = described;
    let method = super::document::word(&method);
    let requirement = Requirement { feature, ..rule.requirement };
    let rule = AccessRule { requirement, ..rule };
    Registered { id: operation.operation_id.unwrap_or_default(), method, path, rule }
}

/// The page that lists the access rules, in Markdown.
pub(super) fn page(areas: &[AreaEntry], operations: &[Registered]) -> String {
    let mut page = include_str!("register.md").to_owned();
    for entry in areas {
        let prefix = format!("{}.", entry.area);
        let rows: Vec<_> = operations.iter().filter(|one| one.id.starts_with(&prefix)).collect();
        if page.contains(&format!("\n## {}\n", entry.area)) || rows.is_empty() {
            continue;
        }
        // Writing to a `String` never fails.
        let _ = write!(page, "\n## {}\n\n", entry.area);
        match entry.feature {
            Some(feature) => {
                let _ = writeln!(page, "Feature `{}`: {}\n", feature.key(), feature.sentence());
            }
            None => page.push_str("No feature: it cannot be switched off.\n\n"),
        }
        page.push_str("| operation | request | scope | role | on what the path names | else |\n|---|---|---|---|---|---|\n");
        rows.iter().for_each(|one| page.push_str(&row(one)));
    }
    page
}

fn row(one: &Registered) -> String {
    let Registered { id, method, path, rule } = one;
    let requirement = rule.requirement;
    let scopes: Vec<_> = requirement.scopes().map(|scope| format!("`{}`", scope.as_str())).collect();
    let scope = match (rule.open, scopes.is_empty(), requirement.bare) {
        (true, ..) => "no credentials needed".to_owned(),
        (_, false, _) => scopes.join(" and "),
        (_, true, true) => "none at all".to_owned(),
        (_, true, false) => "any".to_owned(),
    };
    let role = if rule.open { "" } else { role_name(requirement.least_role()) };
    let grant = rule.loads.map_or_else(String::new, |loads| match loads.level {
        Some(level) => format!("{}: {}", loads.name, level_name(level)),
        None => format!("{}: to see it", loads.name),
    });
    let mut more = Vec::new();
    more.extend(requirement.platform.then_some("platform administrators"));
    more.extend(requirement.own_name.then_some("no session on behalf of the user"));
    more.extend(requirement.is_personal().then_some("no session on behalf of a person"));
    more.extend(requirement.session.then_some("a session, no API token"));
    let method = method.to_uppercase();
    format!("| `{id}` | {method} `{path}` | {scope} | {role} | {grant} | {} |\n", more.join("; "))
}
