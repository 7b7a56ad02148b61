use understudy::parts::catalog::packages;

#[test]
fn packages_are_valid() {
    let all = packages();
    assert!(all.len() >= 6, "{} packages ship", all.len());
    for (place, read) in all {
        let package = read.unwrap_or_else(|faults| panic!("{place}: {faults:?}"));
        assert_eq!(package.manifest.id, place, "a package lies where its name says");
        assert!(package.manifest.description.len() > 40, "{place} says too little");
    }
}
