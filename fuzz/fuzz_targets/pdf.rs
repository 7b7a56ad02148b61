//! PDF files, mutated by structure: objects with any content in a file with a valid cross-reference table.

#![no_main]

mod extraction;

use libfuzzer_sys::fuzz_target;

use crate::extraction::extract;

/// Objects 1 to 4 are fixed: catalog, pages, a page, its font. The input is split at NUL into object 5, the content of
/// the page, object 6, which is written unchanged, and further streams from object 7 on.
const FIXED: [&str; 4] = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F1 4 0 R/F2 6 0 R>>/XObject<</X1 7 0 R>>>>>>",
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 8 0 R>>",
];

fuzz_target!(|input: &[u8]| {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    let parts = input.split(|byte| *byte == 0).take(8).enumerate();
    let objects = FIXED.iter().map(|object| object.as_bytes().to_vec()).chain(parts.map(|(at, part)| match at {
        1 => part.to_vec(),
        _ => [format!("<</Length {}>>stream\n", part.len()).as_bytes(), part, b"\nendstream"].concat(),
    }));
    for (at, object) in objects.enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n", at + 1).as_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1).as_bytes());
    for offset in &offsets {
        file.extend(format!("{offset:010} 00000 n \n").as_bytes());
    }
    let size = offsets.len() + 1;
    file.extend(format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n").as_bytes());
    extract(&file, "a.pdf", 16 << 20);
});
