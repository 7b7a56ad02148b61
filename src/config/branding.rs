//! Settings of the name and the logo of the installation.

use ring::digest::{SHA256, digest};
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum length of the name, in characters.
const NAME: usize = 80;
/// Maximum size of the file of the logo, in bytes.
const LOGO_BYTES: u64 = 512 << 10;

/// The name and the logo that users see before they sign in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrandingConfig {
    /// The name of the installation.
    pub name: String,
    /// The file with the logo: PNG, JPEG or WebP.
    pub logo: Option<PathBuf>,
}

/// The logo as it was read when the server started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandingLogo {
    pub bytes: bytes::Bytes,
    pub media_type: &'static str,
    /// Identifies the content: the beginning of its SHA-256, in hexadecimal digits.
    pub mark: String,
}

impl BrandingConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        let length = self.name.chars().count();
        match self.name.trim().is_empty() || length > NAME || self.name.chars().any(char::is_control) {
            true => Err(format!("branding.name must have 1 to {NAME} characters, without line breaks")),
            false => Ok(()),
        }
    }

    /// Reads the logo; `None` if none is set.
    ///
    /// # Errors
    /// The file cannot be read, is too large, or is not an image of an accepted type.
    pub fn logo(&self) -> Result<Option<BrandingLogo>, String> {
        let Some(path) = &self.logo else { return Ok(None) };
        let bytes = read(path).map_err(|error| format!("branding.logo: {}: {error}", path.display()))?;
        if bytes.len() as u64 > LOGO_BYTES {
            return Err(format!("branding.logo: {} has more than {} KiB", path.display(), LOGO_BYTES >> 10));
        }
        let media_type = media_type(&bytes)
            .ok_or_else(|| format!("branding.logo: {} is not a PNG, JPEG or WebP image", path.display()))?;
        let mark = data_encoding::HEXLOWER.encode(&digest(&SHA256, &bytes).as_ref()[..6]);
        Ok(Some(BrandingLogo { bytes: bytes.into(), media_type, mark }))
    }
}

/// Reads a file, but not much more than the maximum size.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LOGO_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
