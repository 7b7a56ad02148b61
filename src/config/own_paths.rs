//! The first segments of the server's own paths.

/// The screens of the console, among them those that notifications link to.
pub const SCREENS: [&str; 20] = [
    "assistants",
    "automations",
    "audio",
    "catalog",
    "control-tower",
    "conversations",
    "groups",
    "join",
    "knowledge-bases",
    "login",
    "memories",
    "notifications",
    "projects",
    "settings",
    "skills",
    "tenant-admin",
    "usage",
    "video",
    "why",
    "workflows",
];

/// Everything else that the server serves.
const OTHERS: [&str; 7] = ["api", "console", "health", "healthz", "metrics", "readyz", "v1"];

/// Whether a base path would begin like a path of the server itself. It would then be unclear whether a proxy has
/// stripped the base path.
pub(super) fn contain_base_path(base: &str) -> bool {
    let first = base.split('/').nth(1).unwrap_or_default();
    OTHERS.contains(&first) || SCREENS.contains(&first)
}
