use understudy::parts::http::Sorted;

#[test]
fn sorted_places_fixed_segments_first() {
    let all = ["/a/{id}", "/a/b/{id}", "/a/{x:.*}", "/a/{x:.*}/b", "/a/deleted", "/a/{id}/b", "/a"];
    let mut paths: Vec<_> = all.iter().map(|path| Sorted::new(path)).collect();
    paths.sort();
    let paths: Vec<_> = paths.iter().map(|sorted| sorted.path.as_str()).collect();
    assert_eq!(paths, ["/a", "/a/deleted", "/a/b/{id}", "/a/{id}", "/a/{id}/b", "/a/{x:.*}/b", "/a/{x:.*}"]);
}
