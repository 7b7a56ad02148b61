//! Embeds the packages of `catalog/` in the binary, and packs its relocations.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The first glibc that loads packed relocations (`DT_RELR`), as major and minor version.
const GLIBC_WITH_PACKED_RELOCATIONS: (u32, u32) = (2, 36);

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=catalog");
    if builds_for_this_machine() && glibc().is_some_and(|version| version >= GLIBC_WITH_PACKED_RELOCATIONS) {
        // Packed relocations take 0.1 MB of the file and of memory instead of 4.5 MB. Linkers without support ignore
        // unknown `-z` options.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("catalog");
    let mut files = Vec::new();
    gather(&root, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let path = file.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        let _ = writeln!(list, "    ({path:?}, include_bytes!({:?})),", file.to_string_lossy());
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("catalog.rs"), list)
}

fn builds_for_this_machine() -> bool {
    env::var_os("HOST") == env::var_os("TARGET") && env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("gnu")
}

/// The version of glibc on this machine.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => gather(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
