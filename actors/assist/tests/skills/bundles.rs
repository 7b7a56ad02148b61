//! Tests of reading valid and invalid bundles.

use crate::stage::archive;
use assist::skills::bundle::{Bundle, MAX_UNPACKED, read};
use storage::records::SkillUsableIn;
use zip::write::SimpleFileOptions;

crate::tests![
    every_kind_of_bundle_is_read,
    the_same_content_has_the_same_hash,
    what_leads_out_of_the_bundle_is_refused,
    bombs_are_counted_while_they_are_unpacked,
    heads_say_what_is_wrong_with_them,
    heads_are_no_place_for_tricks,
    what_is_no_bundle_is_told,
    no_bytes_make_it_fall,
];

const HEAD: &str = "---\nname: Tax\ndescription: |\n  Reckons\n  taxes.\nusable_in: chat\nservices: [web:api.example.org, \
                    data]\nlicense: MIT\nmetadata: {author: {name: x}, tags: [a, [b]]}\n---\n";

fn faults(filename: &str, bytes: &[u8]) -> Vec<String> {
    match read(filename, bytes) {
        Ok(bundle) => panic!("{filename} is a bundle: {bundle:?}"),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}

fn md(text: &str) -> Vec<String> {
    faults("SKILL.md", text.as_bytes())
}

async fn every_kind_of_bundle_is_read() {
    let whole = format!("{HEAD}\n# How\n\nAdd.\n");
    let files: &[(&str, &[u8])] = &[
        ("tax/SKILL.md", whole.as_bytes()),
        ("tax/lib/rates.js", b"const functions = {}"),
        ("tax/node_modules/x/index.js", b"for (;;) {}"),
        ("tax/lib/rates.test.js", b"for (;;) {}"),
        ("tax/data.bin", b"\0\xff"),
        ("tax/empty/", b""),
        ("__MACOSX/tax/._SKILL.md", b"\0"),
        ("tax/.DS_Store", b"\0"),
    ];
    let Bundle { front, instructions, files, scripts, ignored, lone_script, .. } =
        read("C:\\x\\tax.SKILL", &archive(files)).unwrap();
    assert_eq!(front.name.as_deref(), Some("Tax"));
    assert_eq!(front.description.as_deref(), Some("Reckons\ntaxes."));
    assert_eq!(front.usable_in, Some(SkillUsableIn::Chat));
    assert_eq!(front.services, ["web:api.example.org", "data"]);
    assert_eq!(instructions, "# How\n\nAdd.");
    assert_eq!(scripts, ["lib/rates.js"]);
    assert_eq!(ignored, ["data.bin"]);
    assert_eq!(files.len(), 4);
    assert!(!lone_script);

    let alone = read("notes.md", format!("\u{feff}{}", whole.replace('\n', "\r\n")).as_bytes()).unwrap();
    assert_eq!((alone.front.name.as_deref(), alone.scripts.len()), (Some("Tax"), 0));
    let script = read("a.b.js", b"const functions = {}").unwrap();
    assert_eq!(
        (script.scripts, script.stem.as_str(), script.lone_script),
        (vec!["a.b.js".into()], "a.b", true)
    );
}

async fn the_same_content_has_the_same_hash() {
    let one: &[(&str, &[u8])] = &[("SKILL.md", HEAD.as_bytes()), ("a.js", b"1"), ("b.bin", b"\0")];
    let other: &[(&str, &[u8])] = &[("x/b.bin", b"\0"), ("x/a.js", b"1"), ("x/SKILL.md", HEAD.as_bytes())];
    let hash = |files: &[(&str, &[u8])]| read("x.zip", &archive(files)).unwrap().content_hash;
    assert_eq!(hash(one), hash(other));
    for changed in [
        &[("SKILL.md", HEAD.as_bytes()), ("a.js", b"1" as &[u8]), ("b.bin", b"\0\0")],
        &[("SKILL.md", HEAD.as_bytes()), ("a.js", b"1" as &[u8]), ("c.bin", b"\0")],
    ] {
        assert_ne!(hash(one), hash(changed));
    }
}

async fn what_leads_out_of_the_bundle_is_refused() {
    let long = format!("{}/x", "d".repeat(300));
    for path in [
        "../x",
        "/etc/passwd",
        "a/../../x",
        "a/./x",
        "a//x",
        "C:/x",
        "a\\x",
        "x\u{7}",
        long.as_str(),
        "1/2/3/4/5/6/7/8/9",
    ] {
        let messages = faults("x.zip", &archive(&[("SKILL.md", HEAD.as_bytes()), (path, b"x")]));
        assert_eq!(messages.len(), 1, "{path:?}: {messages:?}");
        assert!(messages[0].contains("a path"), "{path:?}: {messages:?}");
    }
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let messages = faults("x.zip", &zip.finish().unwrap().into_inner());
    assert!(messages[0].contains("is a link"), "{messages:?}");
    let messages = faults("x.zip", &archive(&[("SKILL.md", HEAD.as_bytes()), ("skill.MD", b"x")]));
    assert!(messages[0].contains("by capitals only"), "{messages:?}");
    // Two files with the same path, created by changing a name in the archive.
    let mut bytes = archive(&[("SKILL.md", HEAD.as_bytes()), ("a.txt", b"1"), ("b.txt", b"2")]);
    for at in 0..bytes.len() - 5 {
        if &bytes[at..at + 5] == b"b.txt" {
            bytes[at] = b'a';
        }
    }
    let messages = faults("x.zip", &bytes);
    assert!(messages[0].contains("two files of one path"), "{messages:?}");
}

async fn bombs_are_counted_while_they_are_unpacked() {
    let bomb = vec![b' '; MAX_UNPACKED + 1];
    let bytes = archive(&[("SKILL.md", HEAD.as_bytes()), ("bomb.txt", &bomb)]);
    assert!(bytes.len() < 100_000);
    assert!(faults("x.zip", &bytes)[0].contains("more than 10485760 bytes"));
    let half = vec![b' '; MAX_UNPACKED / 2];
    let two: &[(&str, &[u8])] = &[("SKILL.md", HEAD.as_bytes()), ("1.txt", &half), ("2.txt", &half)];
    assert!(faults("x.zip", &archive(two))[0].contains("more than 10485760 bytes"));
    let names: Vec<String> = (0..200).map(|n| format!("{n}.txt")).collect();
    let mut many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"" as &[u8])).collect();
    many.push(("SKILL.md", HEAD.as_bytes()));
    assert!(faults("x.zip", &archive(&many)).iter().any(|it| it.contains("more than 200 files")));
    assert!(faults("x.zip", &vec![0; (5 << 20) + 1])[0].contains("the most is"));
    let long = format!("{HEAD}{}", "x".repeat(100_000));
    assert!(md(&long)[0].contains("longer than 100000 characters"));
}

async fn heads_say_what_is_wrong_with_them() {
    for (text, words) in [
        ("# No head", "has to begin with"),
        ("---\nname: x\n", "has to begin with"),
        ("---\nname: x\n---\nHi", "`description` is missing"),
        ("---\ndescription: x\n---\nHi", "`name` is missing"),
        ("---\nname: [x]\ndescription: x\n---\nHi", "`name` has to be a text"),
        ("---\nname: x\ndescription: y\nusable_in: bath\n---\nHi", "`usable_in`"),
        ("---\nname: x\ndescription: y\nservices: data\n---\nHi", "`services` has to be a list"),
        ("---\nname: x\ndescription: y\nservices: [{a: b}]\n---\nHi", "`services` has to be a list"),
        ("---\nname: x\ndescription: y\nservices: [web:Example.org]\n---\nHi", "is no service"),
        ("---\nname: x\ndescription: y\nservices: [mail]\n---\nHi", "is no service"),
        ("---\nname: x\ndescription: y\nservices: ['web:a/b']\n---\nHi", "is no service"),
        ("---\nname: x\ndescription: y\nservices: ['web:a:080']\n---\nHi", "is no service"),
        ("---\nname: x\ndescription: y\nname: z\n---\nHi", "there twice"),
        ("---\nname: x\ndescription: y\n---\n  \n", "has no instructions"),
        ("---\n- name\n---\nHi", "fields with values"),
        ("---\nname\n---\nHi", "fields with values"),
        ("---\nname: 'x\n---\nHi", "line"),
    ] {
        let messages = md(text);
        assert!(
            messages.iter().any(|it| it.starts_with("SKILL.md") && it.contains(words)),
            "{text}\n{messages:?}"
        );
    }
    let all = md("---\nname: ''\nservices: [mail, post]\n---\nHi");
    assert_eq!(all.len(), 4, "{all:?}");
}

async fn heads_are_no_place_for_tricks() {
    let bomb = "---\na: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n---\nHi";
    assert!(md(bomb)[0].contains("may not name a place"), "{:?}", md(bomb));
    for deep in ["[".repeat(10_000), "{a: ".repeat(1_000), "- ".repeat(5_000)] {
        assert!(!md(&format!("---\nname: {deep}\n---\nHi")).is_empty());
    }
    let long = format!("---\nname: x\ndescription: y\nz: {}\n---\nHi", "z".repeat(17_000));
    assert!(md(&long)[0].contains("longer than 16384 bytes"), "{:?}", md(&long));
    assert!(!md("---\n? [a]\n: b\n---\nHi").is_empty());
    assert!(!md("---\nname: x\n--- \n...\n---\nHi").is_empty());
}

async fn what_is_no_bundle_is_told() {
    assert!(faults("x.exe", b"MZ")[0].contains("a bundle is a file"));
    assert!(faults("x", b"")[0].contains("a bundle is a file"));
    assert!(faults("x.zip", b"no archive")[0].contains("cannot be read"));
    assert!(faults("SKILL.md", b"\xff\xfe")[0].contains("is no text in UTF-8"));
    assert!(faults("a\u{1}.js", b"1")[0].contains("a path"));
    let messages = faults("x.zip", &archive(&[("README.md", b"x"), ("a.js", b"\xff")]));
    assert_eq!(messages, ["a.js: is no text in UTF-8", "SKILL.md: is missing"]);
}

async fn no_bytes_make_it_fall() {
    let good = archive(&[("SKILL.md", HEAD.as_bytes()), ("a.js", b"const functions = {}")]);
    // Changes every byte in turn, and truncates at every length: reading must not panic.
    for at in 0..good.len() {
        for flip in [0xff, 0x01] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            let _ = read("x.zip", &bad);
        }
        let _ = read("x.zip", &good[..at]);
    }
    for end in 0..HEAD.len() {
        let _ = read("SKILL.md", &HEAD.as_bytes()[..end]);
    }
}
