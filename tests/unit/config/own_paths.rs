use understudy::parts::config::{contain_base_path, is_screen};

#[test]
fn is_screen_matches_whole_paths() {
    for path in
        ["/", "/login", "/memories/", "/conversations/0199", "/settings/tokens", "/groups/sync/history"]
    {
        assert!(is_screen(path), "{path}");
    }
    for path in
        ["/nothing", "/conversations", "/conversations/", "/conversations/a/b/c", "/groups", "/settings/a/b"]
    {
        assert!(!is_screen(path), "{path}");
    }
}

#[test]
fn base_path_must_not_begin_like_an_own_path() {
    assert!(["/api/v2", "/conversations", "/groups"].into_iter().all(contain_base_path));
    assert!(!["", "/", "/ai", "/assistants-of-us"].into_iter().any(contain_base_path));
}
