use bytes::Bytes;
use std::fs;
use understudy::parts::catalog::{Files, checksum, from_folder};

#[test]
fn checksum_matches_other_tools() {
    let files = Files::from([
        ("package.toml".to_owned(), Bytes::from_static(b"id = 1\n")),
        ("a/b.md".to_owned(), Bytes::from_static(b"hello\n")),
    ]);
    // cd package && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
    assert_eq!(checksum(&files), "sha256:8aced430ec6dd93d872905fed0cf59da987510184eb8c5035b951d805bc8127b");
}

#[test]
fn from_folder_does_not_leave_the_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path().canonicalize().expect("a path");
    let package = root.join("packages/mine");
    fs::create_dir_all(package.join("sub")).expect("folders");
    fs::write(package.join("package.toml"), "x").expect("a file");
    fs::write(package.join("sub/a.md"), "y").expect("a file");
    let bounds = root.join("packages");
    assert_eq!(from_folder(&package, &bounds).expect("files").len(), 2);
    std::os::unix::fs::symlink(package.join("sub/a.md"), package.join("b.md")).expect("a link");
    assert_eq!(from_folder(&package, &bounds).expect("files").len(), 3, "a link that stays");
    fs::write(root.join("secret"), "z").expect("a file");
    std::os::unix::fs::symlink("../../secret", package.join("c.md")).expect("a link");
    let faults = from_folder(&package, &bounds).expect_err("a link that leads away");
    assert!(faults[0].contains("outside the folder"), "{faults:?}");
    fs::remove_file(package.join("c.md")).expect("removed");
    // Following a link to a parent folder would never end.
    std::os::unix::fs::symlink(&package, package.join("sub/again")).expect("a link");
    assert!(from_folder(&package, &bounds).is_err());
}
