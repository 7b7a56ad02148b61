//! A package: its manifest and its files, checked against each other.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use assist::skills::bundle;
use bytes::Bytes;
use jobs::skill_build::pack::pack;
use semver::Version;
use serde_json::{Value, json};
use storage::records::ResourceKind;

use super::{Files, MANIFEST, Manifest, ParameterKind, Reference, ResourceManifest, checksum, expand};

/// The maximum size of a manifest in bytes.
const MAX_MANIFEST_BYTES: usize = 256 << 10;
/// The maximum number of faults that are reported at once.
const MAX_FAULTS: usize = 50;

/// A package that passes all checks that are possible without installing it.
#[derive(Clone, Debug)]
pub struct Package {
    /// The parsed and validated manifest.
    pub manifest: Manifest,
    pub version: Version,
    /// The files of the package, including the manifest.
    pub files: Files,
    /// The checksum of the content.
    pub checksum: String,
    /// Where the package comes from: the binary, a folder, or the host of an index.
    pub source: String,
    /// The external services that its skills request.
    pub services: Vec<String>,
}

impl Package {
    /// Reads and checks a package.
    ///
    /// # Errors
    /// All faults that were found.
    pub fn read(files: Files, source: &str) -> Result<Self, Vec<String>> {
        let one = |why: &str| vec![format!("{MANIFEST} {why}")];
        let text = files.get(MANIFEST).ok_or_else(|| one("is missing"))?;
        if text.len() > MAX_MANIFEST_BYTES {
            return Err(one("is larger than 256 KiB"));
        }
        let text = std::str::from_utf8(text).map_err(|_| one("is not UTF-8 text"))?;
        let manifest = Manifest::read(text)?;
        let version = Version::parse(&manifest.version).map_err(|why| vec![why.to_string()])?;
        let (checksum, services) = (checksum(&files), Vec::new());
        let mut package = Self { manifest, version, files, checksum, source: source.to_owned(), services };
        let mut faults = package.faults();
        faults.truncate(MAX_FAULTS);
        if faults.is_empty() { Ok(package) } else { Err(faults) }
    }

    /// The text of a file.
    ///
    /// # Errors
    /// The file does not exist or is not UTF-8.
    pub fn text(&self, path: &str) -> Result<&str, String> {
        let content = self.files.get(path).ok_or_else(|| format!("there is no file {path:?}"))?;
        std::str::from_utf8(content).map_err(|_| format!("{path} is not UTF-8 text"))
    }

    /// The parsed content of a JSON file.
    ///
    /// # Errors
    /// The file does not exist or cannot be parsed.
    pub fn json(&self, path: &str) -> Result<Value, String> {
        serde_json::from_str(self.text(path)?).map_err(|why| format!("{path} is not valid JSON: {why}"))
    }

    /// The bundle of a skill: the name of its file, and its content.
    ///
    /// # Errors
    /// The reason why the bundle cannot be created.
    pub fn bundle(&self, resource: &ResourceManifest) -> Result<(String, Bytes), String> {
        let path = resource.bundle.as_deref().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some(content) = self.files.get(path) {
            return Ok((name.to_owned(), content.clone()));
        }
        let mut inside = BTreeMap::new();
        for (path, content) in self.inside(path) {
            let text = std::str::from_utf8(content).map_err(|_| format!("{path} is not UTF-8 text"))?;
            inside.insert(path.to_owned(), text.to_owned());
        }
        match inside.is_empty() {
            true => Err(format!("there is neither a file nor a folder {path:?}")),
            false => Ok((format!("{name}.skill"), Bytes::from(pack(&inside)?))),
        }
    }

    /// The documents of a knowledge base, by their paths in its folder.
    pub fn documents(&self, resource: &ResourceManifest) -> Vec<(&str, &Bytes)> {
        let folder = resource.documents.as_deref();
        folder.map(|folder| self.inside(folder).collect()).unwrap_or_default()
    }

    fn inside<'a>(&'a self, folder: &str) -> impl Iterator<Item = (&'a str, &'a Bytes)> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        self.files
            .iter()
            .filter_map(move |(path, content)| Some((path.strip_prefix(folder.as_str())?, content)))
    }

    fn faults(&mut self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut services = BTreeSet::new();
        let mut earlier = HashSet::new();
        for resource in &self.manifest.resources {
            let key = &resource.key;
            for (field, value) in &resource.fields {
                if let Err(why) = expand(value, &mut |reference| self.stand_in(reference, &earlier)) {
                    faults.push(format!("{key}.{field}: {why}"));
                }
            }
            if resource.kind == ResourceKind::Skill {
                match self.services(resource) {
                    Ok(requested) => services.extend(requested),
                    Err(wrong) => faults.extend(wrong.into_iter().map(|why| format!("{key}: {why}"))),
                }
            }
            let papers = self.documents(resource);
            if resource.documents.is_some() && papers.is_empty() {
                faults.push(format!("{key}: its folder of documents is empty"));
            }
            let mut contents = HashSet::new();
            // Equal content would be the same document.
            for (path, _) in papers.iter().filter(|(_, content)| !contents.insert(content)) {
                faults.push(format!("{key}: the document {path} has the content of another"));
            }
            earlier.insert(key.as_str());
        }
        self.services = services.into_iter().collect();
        faults
    }

    /// The services that a skill requests in its front matter.
    fn services(&self, resource: &ResourceManifest) -> Result<Vec<String>, Vec<String>> {
        let (name, bytes) = self.bundle(resource).map_err(|why| vec![why])?;
        let read = bundle::read(&name, &bytes);
        let read = read.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        Ok(read.front.services)
    }

    /// Returns a value of the right type for a reference, if the reference is valid.
    fn stand_in(&self, reference: Reference<'_>, earlier: &HashSet<&str>) -> Result<Value, String> {
        match reference {
            Reference::File(path) => self.text(path).map(Value::from),
            Reference::Json(path) => self.json(path),
            Reference::Parameter(name) => {
                let setting = self.manifest.parameters.iter().find(|setting| setting.name == name);
                let setting = setting.ok_or_else(|| format!("there is no parameter {name:?}"))?;
                Ok(setting.default.clone().unwrap_or_else(|| match setting.kind {
                    ParameterKind::String => json!(""),
                    ParameterKind::Integer | ParameterKind::Number => json!(0),
                    ParameterKind::Boolean => json!(false),
                }))
            }
            Reference::Resource(key) if earlier.contains(key) => Ok(json!(uuid::Uuid::nil())),
            Reference::Resource(key) => Err(format!("no resource {key:?} precedes it")),
            Reference::Package(id, _) if self.manifest.requires.packages.contains_key(id) => {
                Ok(json!(uuid::Uuid::nil()))
            }
            Reference::Package(id, _) => {
                Err(format!("the package {id:?} is not listed in `requires.packages`"))
            }
        }
    }
}
