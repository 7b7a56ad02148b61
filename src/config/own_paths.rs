//! The server's own paths.

/// The paths at which the console has a screen, among them those that notifications link to. A segment that begins with
/// `:` stands for any one segment.
const SCREENS: &[&str] = include!(concat!(env!("OUT_DIR"), "/screens.rs"));

/// The first segments of everything else that the server serves.
const OTHERS: [&str; 7] = ["api", "console", "health", "healthz", "metrics", "readyz", "v1"];

/// Whether the console has a screen at a path.
pub fn is_screen(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    SCREENS.iter().any(|pattern| matches_pattern(pattern.trim_end_matches('/'), path))
}

fn matches_pattern(pattern: &str, path: &str) -> bool {
    let (mut expected, mut actual) = (pattern.split('/'), path.split('/'));
    loop {
        match (expected.next(), actual.next()) {
            (None, None) => return true,
            (Some(part), Some(value)) if part == value || (part.starts_with(':') && !value.is_empty()) => {}
            _ => return false,
        }
    }
}

/// Whether a base path would begin like a path of the server itself. It would then be unclear whether a proxy has
/// stripped the base path.
pub fn contain_base_path(base: &str) -> bool {
    let first = first_segment(base);
    !first.is_empty()
        && (OTHERS.contains(&first) || SCREENS.iter().any(|pattern| first_segment(pattern) == first))
}

fn first_segment(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}
