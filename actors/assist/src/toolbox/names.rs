//! Names of skill functions and server tools for models.

use std::collections::HashMap;

use crate::skills::LoadedFunction;

/// Maximum number of characters of a name that every provider accepts.
const MAX_NAME_CHARS: usize = 64;

/// Assigns a name to each function: its own name if no other function and no tool in `taken` has it. Otherwise the name
/// of the skill is prefixed, and if that is not unique, a number is appended. The same functions always get the same
/// names.
pub fn named(functions: Vec<LoadedFunction>, mut taken: Vec<String>) -> Vec<(String, LoadedFunction)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for loaded in &functions {
        *counts.entry(loaded.function.name.clone()).or_default() += 1;
    }
    let plain = |loaded: &LoadedFunction, taken: &[String]| {
        let name = &loaded.function.name;
        counts.get(name) == Some(&1) && !taken.contains(name)
    };
    // Functions that keep their own name have precedence over generated names.
    let plain: Vec<bool> = functions.iter().map(|loaded| plain(loaded, &taken)).collect();
    taken.extend(
        functions.iter().zip(&plain).filter(|(_, plain)| **plain).map(|(it, _)| it.function.name.clone()),
    );
    let mut named = Vec::with_capacity(functions.len());
    for (loaded, plain) in functions.into_iter().zip(plain) {
        let name = if plain { loaded.function.name.clone() } else { made_up(&loaded, &taken) };
        if !plain {
            taken.push(name.clone());
        }
        named.push((name, loaded));
    }
    named
}

/// Converts names of another system to names that every provider accepts. Appends a number to names that are taken.
pub(super) fn plain(wanted: Vec<String>, mut taken: Vec<String>) -> Vec<String> {
    let mut named = Vec::with_capacity(wanted.len());
    for proposed in wanted {
        let letter = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let proposed: String = proposed.chars().map(letter).collect();
        let mut number = 1;
        let name = loop {
            let tail = if number == 1 { String::new() } else { format!("_{number}") };
            let name = format!("{}{tail}", &proposed[..proposed.len().min(MAX_NAME_CHARS - tail.len())]);
            if !taken.contains(&name) {
                break name;
            }
            number += 1;
        };
        taken.push(name.clone());
        named.push(name);
    }
    named
}

fn made_up(loaded: &LoadedFunction, taken: &[String]) -> String {
    let function = &loaded.function.name;
    let skill: String = loaded.skill_name.chars().map(plain_letter).collect();
    let skill = skill.trim_matches('_');
    let mut number = 1;
    loop {
        let tail = if number == 1 { String::new() } else { format!("_{number}") };
        let room = MAX_NAME_CHARS.saturating_sub(function.len() + tail.len() + 1);
        let skill = &skill[..skill.len().min(room)];
        let name = match skill {
            "" => format!("{}{tail}", &function[..function.len().min(MAX_NAME_CHARS - tail.len())]),
            skill => format!("{skill}_{function}{tail}"),
        };
        if !taken.contains(&name) {
            return name;
        }
        number += 1;
    }
}

/// Replaces characters other than letters and digits with an underscore.
fn plain_letter(c: char) -> char {
    if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use storage::records::{SkillContent, SkillFunction};
    use uuid::Uuid;

    fn function(skill: &str, name: &str) -> LoadedFunction {
        LoadedFunction {
            skill_id: Uuid::nil(),
            skill_name: skill.into(),
            content: Arc::new(SkillContent::default()),
            function: SkillFunction { name: name.into(), ..SkillFunction::default() },
        }
    }

    fn names(functions: Vec<LoadedFunction>, taken: &[&str]) -> Vec<String> {
        let taken = taken.iter().map(|name| (*name).to_owned()).collect();
        named(functions, taken).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn named_changes_only_conflicting_names() {
        let all = vec![function("Tax 2.0", "add"), function("Büro", "add"), function("x", "sub")];
        assert_eq!(names(all, &["remember"]), ["tax_2_0_add", "b_ro_add", "sub"]);
        assert_eq!(names(vec![function("Clock", "current_time")], &["current_time"]), ["clock_current_time"]);
        let all = vec![function("a", "f"), function("A", "f"), function("z", "a_f")];
        assert_eq!(names(all, &[]), ["a_f_2", "a_f_3", "a_f"]);
    }

    #[test]
    fn plain_makes_names_of_other_servers_valid_and_unique() {
        let wanted =
            ["tracker_create.issue", "tracker_create/issue", "x_ä", "now"].map(str::to_owned).to_vec();
        let long = format!("tracker_{}", "x".repeat(100));
        let wanted = wanted.into_iter().chain([long.clone(), long]).collect();
        let names = plain(wanted, vec!["now".into()]);
        assert_eq!(names[..4], ["tracker_create_issue", "tracker_create_issue_2", "x__", "now_2"]);
        assert!(
            names[4].len() == MAX_NAME_CHARS && names[5].len() == MAX_NAME_CHARS && names[5].ends_with("_2")
        );
    }

    #[test]
    fn named_and_plain_return_valid_names() {
        let long = "f".repeat(64);
        let all = vec![
            function(&"s".repeat(100), &long),
            function("日本", &long),
            function("", "g"),
            function("", "g"),
        ];
        let names = names(all, &[]);
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), 4);
        for name in names {
            assert!(name.len() <= MAX_NAME_CHARS && !name.is_empty(), "{name}");
            assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{name}");
        }
    }
}
