//! Embeds the packages of `catalog/` and the web console in the binary, and makes the binary smaller when it is linked.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

#[path = "src/http/console/folder.rs"]
mod folder;

use folder::{CompressedFile, SCREENS, files_of, read_console};

/// The first glibc that loads packed relocations (`DT_RELR`), as major and minor version.
const GLIBC_WITH_PACKED_RELOCATIONS: (u32, u32) = (2, 36);

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/http/console/folder.rs");
    println!("cargo::rerun-if-changed=catalog");
    println!("cargo::rerun-if-changed=console/dist");
    if builds_for_this_machine() && glibc().is_some_and(|version| version >= GLIBC_WITH_PACKED_RELOCATIONS) {
        // Packed relocations take 0.1 MB of the file and of memory instead of 4.5 MB. Linkers without support ignore
        // unknown `-z` options.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    if links_with_bundled_lld() {
        // Functions with the same code become one; Rust guarantees no distinct addresses for them. `safe` would have no effect, because
        // rustc emits no table of the functions whose addresses are significant.
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    embed_catalog(&root.join("catalog"), &out)?;
    list_screens(&root.join("console/dist").join(SCREENS), &out)?;
    embed_console(&root.join("console/dist"), &out)
}

/// Writes `catalog.rs`: a list of paths and contents.
fn embed_catalog(root: &Path, out: &Path) -> io::Result<()> {
    let mut list = String::from("&[\n");
    for (path, file) in files_of(root)? {
        let _ = writeln!(list, "    ({path:?}, include_bytes!({:?})),", file.to_string_lossy());
    }
    list.push_str("]\n");
    fs::write(out.join("catalog.rs"), list)
}

/// Writes `screens.rs`: the list of the console's paths. The file is a JSON array of plain strings, which is an array
/// expression of Rust, too.
fn list_screens(file: &Path, out: &Path) -> io::Result<()> {
    let list = fs::read_to_string(file)?;
    let list = list.trim();
    let is_plain =
        list.bytes().all(|byte| byte != b'\\' && (byte.is_ascii_graphic() || byte.is_ascii_whitespace()));
    if !(is_plain && list.starts_with('[') && list.ends_with(']')) {
        return Err(io::Error::other(format!("{}: not a list of paths", file.display())));
    }
    fs::write(out.join("screens.rs"), format!("&{list}\n"))
}

/// Writes `console.rs`: the console's page, its other files, compressed, and a digest of all of them.
fn embed_console(root: &Path, out: &Path) -> io::Result<()> {
    let compressed = out.join("console");
    fs::create_dir_all(&compressed)?;
    let files = read_console(root)?;
    let mut assets = String::new();
    for CompressedFile { path, media_type, gzip } in files.assets {
        let target = compressed.join(path.replace('/', "-"));
        fs::write(&target, gzip)?;
        let target = target.to_string_lossy();
        let _ = writeln!(
            assets,
            "        Asset {{ path: Cow::Borrowed({path:?}), media_type: {media_type:?}, \
             gzip: Cow::Borrowed(include_bytes!({target:?})) }},"
        );
    }
    let (digest, page) = (files.digest, files.page);
    let code = format!(
        "static EMBEDDED: Console = Console {{\n    digest: Cow::Borrowed({digest:?}),\n    page: Cow::Borrowed({page:?}),\n    \
         assets: Cow::Borrowed(&[\n{assets}    ]),\n}};\n"
    );
    fs::write(out.join("console.rs"), code)
}

/// Whether rustc links with the LLD that it brings, its default on this target from 1.90 on. Other linkers refuse options that
/// they do not know.
fn links_with_bundled_lld() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let is_changed = env::var_os("RUSTC_LINKER").is_some()
        || ["fuse-ld", "linker", "link-self-contained"].iter().any(|option| flags.contains(option));
    // Distributions build rustc without it.
    let lld = sysroot().map(|root| root.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld"));
    env::var("TARGET").as_deref() == Ok("x86_64-unknown-linux-gnu")
        && builds_for_this_machine()
        && !is_changed
        && lld.is_some_and(|lld| lld.exists())
}

fn sysroot() -> Option<PathBuf> {
    let output = Command::new(env::var_os("RUSTC")?).args(["--print", "sysroot"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
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
