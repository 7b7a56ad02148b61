//! Embeds the packages of `catalog/` and the web console in the binary, and packs its relocations.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use flate2::Compression;
use flate2::read::GzEncoder;

/// The first glibc that loads packed relocations (`DT_RELR`), as major and minor version.
const GLIBC_WITH_PACKED_RELOCATIONS: (u32, u32) = (2, 36);
/// The page of the console. The server completes it and serves it itself.
const PAGE: &str = "index.html";
/// The digest of the sources of the console's files, for tests.
const SOURCES: &str = "SOURCES";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=catalog");
    println!("cargo::rerun-if-changed=console/dist");
    if builds_for_this_machine() && glibc().is_some_and(|version| version >= GLIBC_WITH_PACKED_RELOCATIONS) {
        // Packed relocations take 0.1 MB of the file and of memory instead of 4.5 MB. Linkers without support ignore
        // unknown `-z` options.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    embed_catalog(&root.join("catalog"), &out)?;
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

/// Writes `console.rs`: the console's page, its other files, compressed, and a digest of all of them.
fn embed_console(root: &Path, out: &Path) -> io::Result<()> {
    let compressed = out.join("console");
    fs::create_dir_all(&compressed)?;
    let mut digest = DefaultHasher::new();
    let mut assets = String::new();
    for (path, file) in files_of(root)? {
        let content = fs::read(&file)?;
        (&path, &content).hash(&mut digest);
        if path == PAGE || path == SOURCES {
            continue;
        }
        let target = compressed.join(path.replace('/', "-"));
        let mut bytes = Vec::new();
        GzEncoder::new(content.as_slice(), Compression::best()).read_to_end(&mut bytes)?;
        fs::File::create(&target)?.write_all(&bytes)?;
        let (media_type, target) = (media_type(&path)?, target.to_string_lossy());
        let _ = writeln!(
            assets,
            "    Asset {{ path: {path:?}, media_type: {media_type:?}, gzip: include_bytes!({target:?}) }},"
        );
    }
    let page = root.join(PAGE);
    let mut code = String::new();
    let _ = writeln!(code, "const DIGEST: &str = \"{:016x}\";", digest.finish());
    let _ = writeln!(code, "const PAGE: &str = include_str!({:?});", page.to_string_lossy());
    let _ = writeln!(code, "const ASSETS: &[Asset] = &[\n{assets}];");
    fs::write(out.join("console.rs"), code)
}

fn media_type(path: &str) -> io::Result<&'static str> {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    Ok(match extension {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => return Err(io::Error::other(format!("console/dist/{path}: no media type for this extension"))),
    })
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

/// The files in a folder and in the folders below it, sorted, each with its path relative to `root`.
fn files_of(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    gather(root, &mut files)?;
    let relative = |file: PathBuf| {
        let path = file.strip_prefix(root).map_err(io::Error::other)?;
        Ok((path.to_string_lossy().replace('\\', "/"), file))
    };
    let mut files = files.into_iter().map(relative).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
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
