//! Settings for extracting and searching documents.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Settings for extracting and searching documents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// The program that extracts text from files; the server's own executable by default.
    pub program: Option<PathBuf>,
    /// The number of documents that are extracted and indexed at once.
    pub documents_at_once: usize,
    /// The memory limit for extracting one file, in MiB.
    pub memory_mib: u64,
    /// The time limit for extracting one file, in seconds.
    pub read_seconds: u64,
    /// The maximum text extracted from one file, in MiB.
    pub text_mib: u64,
    /// The maximum number of pages, sheets or slides of one file.
    pub pages: u32,
    /// The maximum size of a web page, in MiB.
    pub link_mib: u64,
    /// The number of hours after which web pages are fetched again; 0 for never.
    pub refetch_links_hours: f64,
    /// The memory for vectors, in MiB. The least recently searched knowledge bases are evicted.
    pub vectors_mib: u64,
}

impl KnowledgeConfig {
    fn extractor(&self, largest_file: u64) -> knowledge::ExtractorConfig {
        knowledge::ExtractorConfig {
            program: self.program.clone(),
            memory_bytes: self.memory_mib << 20,
            time: Duration::from_secs(self.read_seconds),
            text_bytes: self.text_mib << 20,
            pages: self.pages,
            file_bytes: largest_file,
            ..knowledge::ExtractorConfig::default()
        }
    }

    /// The settings in the form that the library takes.
    pub fn library(&self, data: &Path, largest_file: u64) -> assist::library::LibraryConfig {
        assist::library::LibraryConfig {
            extractor: self.extractor(largest_file),
            index_dir: data.join("index"),
            vector_bytes: (self.vectors_mib << 20) as usize,
            link_bytes: self.link_mib << 20,
        }
    }

    /// The interval after which web pages are fetched again, if any.
    pub fn refetch_links(&self) -> Option<Duration> {
        (self.refetch_links_hours > 0.0).then(|| Duration::from_secs_f64(self.refetch_links_hours * 3_600.0))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let positive = [
            ("documents_at_once", self.documents_at_once as u64),
            ("read_seconds", self.read_seconds),
            ("text_mib", self.text_mib),
            ("pages", u64::from(self.pages)),
            ("link_mib", self.link_mib),
            ("vectors_mib", self.vectors_mib),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(format!("knowledge.{name} must be at least 1"));
        }
        if !(0.0..=365.0 * 24.0).contains(&self.refetch_links_hours) {
            return Err("knowledge.refetch_links_hours must be from 0 to a year".to_owned());
        }
        match self.memory_mib {
            64..=16384 => Ok(()),
            _ => Err("knowledge.memory_mib must be between 64 and 16384".to_owned()),
        }
    }
}
