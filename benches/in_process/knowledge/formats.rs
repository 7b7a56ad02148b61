//! Documents per second by format, through the real server: uploaded, parsed, split, embedded, indexed
//! and searchable.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::questions::Outcome;
use load::server::{Server, connect, exchange, number, request};

/// One file of each format.
const FILES: [&str; 12] = [
    "handbook-libreoffice.pdf",
    "paper-pdflatex.pdf",
    "handbook-libreoffice.docx",
    "ferry-libreoffice.pptx",
    "catch-libreoffice.xlsx",
    "catch-libreoffice.ods",
    "handbook-pandoc.html",
    "handbook.md",
    "prices-semicolons.csv",
    "station.json",
    "handbook-libreoffice.rtf",
    "ferry-mail.eml",
];
/// Time limit until all documents of one format are searchable.
const PATIENCE: Duration = Duration::from_secs(300);

/// Prints the table. Each copy of a file goes to a knowledge base of its own, because the same bytes
/// are one document within a base.
pub async fn measure(copies: usize) -> Outcome<()> {
    let server = Server::start("").await?;
    // The first document loads the vocabulary of the tokenizer.
    run(&server, FILES[7], 2).await?;
    println!("\n| file | KB | documents/s |\n|---|--:|--:|");
    for file in FILES {
        let bytes = std::fs::metadata(sample(file))?.len();
        let took = run(&server, file, copies).await?;
        let speed = number(copies as f64 / took.as_secs_f64(), 1);
        println!("| {file} | {} | {speed} |", number(bytes as f64 / 1024.0, 1));
    }
    println!("\nmemory of the server then: {} MB\n", number(server.process.resident() as f64 / 1e6, 0));
    Ok(())
}

fn sample(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples").join(file)
}

/// Uploads `copies` copies of a file and waits until all of the documents are searchable.
async fn run(server: &Server, file: &str, copies: usize) -> Outcome<Duration> {
    let bytes = std::fs::read(sample(file))?;
    let mut bases = Vec::with_capacity(copies);
    for _ in 0..copies {
        let base = server.call("POST", "/api/knowledge-bases", &json!({"name": file})).await?;
        bases.push(base["id"].as_str().ok_or("a base without an id")?.to_owned());
    }
    let mut form = format!(
        "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{file}\"\r\n\
         content-type: application/octet-stream\r\n\r\n"
    )
    .into_bytes();
    form.extend_from_slice(&bytes);
    form.extend_from_slice(b"\r\n--x--\r\n");
    let began = Instant::now();
    let mut connection = connect(server.address).await?;
    for base in &bases {
        let path = format!("/api/knowledge-bases/{base}/files");
        let headers = [
            ("content-type", "multipart/form-data; boundary=x"),
            ("authorization", server.authorization.as_str()),
        ];
        let (status, answer) = exchange(&mut connection, &request("POST", &path, &headers, &form)).await?;
        if status != 201 {
            return Err(format!("{file}: {status} {}", String::from_utf8_lossy(&answer)).into());
        }
    }
    for base in &bases {
        while !is_ready(server, base).await? {
            if began.elapsed() > PATIENCE {
                return Err(format!("{file}: not found after {PATIENCE:?}").into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    Ok(began.elapsed())
}

async fn is_ready(server: &Server, base: &str) -> Outcome<bool> {
    let shown = server.call("GET", &format!("/api/knowledge-bases/{base}"), &Value::Null).await?;
    match shown["status"].as_str() {
        Some("ready") => Ok(true),
        Some("indexing" | "empty") => Ok(false),
        other => Err(format!("a base is {other:?}: {shown}").into()),
    }
}
