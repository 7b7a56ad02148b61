//! The key that encrypts secrets at rest.

use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use crate::files::{FileSystem, SystemFiles, read, write_new};
use crate::ids::TenantId;
use crate::keys;
use crate::tables::META;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use bytes::Bytes;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use std::path::Path;

/// The environment variable that holds the key, as base64.
pub const VARIABLE: &str = "UNDERSTUDY_SECRETS_KEY";
/// The file that contains the key, as base64, if the environment does not.
pub(crate) const FILE: &str = "secrets.key";

/// Writes a new file that only its owner can read. If the process is killed or power fails, the file either has this
/// content or does not exist.
///
/// # Errors
/// Returns an error if the file already exists or cannot be written.
pub fn write_key_file(path: &Path, content: &[u8]) -> std::io::Result<()> {
    write_new(&SystemFiles, path, content)
}

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;

/// The key that encrypts secrets.
pub(crate) struct SecretsKey {
    key: LessSafeKey,
    random: SystemRandom,
    fingerprint: Bytes,
}

/// Checks that a text is a valid key: base64 of 32 bytes.
///
/// # Errors
/// Returns an error if it is not.
pub fn check_secrets_key(text: &str) -> Result<()> {
    SecretsKey::parse(text).map(drop)
}

fn fingerprint_key() -> Vec<u8> {
    keys::record_key(META, TenantId::SYSTEM, &"secrets".to_owned())
}

/// The fingerprint of the key that the data was written with; `None` if there is no data.
pub(crate) fn kept_fingerprint(engine: &dyn Engine) -> Result<Option<Bytes>> {
    engine.get(&fingerprint_key())
}

impl SecretsKey {
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Result<Self> {
        let key =
            UnboundKey::new(&CHACHA20_POLY1305, bytes).map_err(|_| Error::Invalid("not a key".into()))?;
        let marked = [b"understudy secrets key ".as_slice(), bytes].concat();
        let digest = ring::digest::digest(&ring::digest::SHA256, &marked);
        let fingerprint = Bytes::copy_from_slice(&digest.as_ref()[..8]);
        Ok(Self { key: LessSafeKey::new(key), random: SystemRandom::new(), fingerprint })
    }

    /// Parses a key written as base64.
    pub fn parse(text: &str) -> Result<Self> {
        let bytes = from_base64(text.trim()).and_then(|bytes| bytes.try_into().ok());
        let bytes: [u8; KEY_BYTES] =
            bytes.ok_or_else(|| Error::Invalid("the key must be 32 bytes as base64".into()))?;
        Self::new(&bytes)
    }

    /// Reads the key from its file in the data folder. If the file does not exist and `may_make` is set, generates a
    /// key and writes it to the file, readable by its owner only.
    pub fn from_file(files: &dyn FileSystem, dir: &Path, may_make: bool) -> Result<Self> {
        let path = dir.join(FILE);
        match read(files, &path) {
            Ok(text) => return Self::parse(&String::from_utf8_lossy(&text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && may_make => {}
            Err(error) => return Err(Error::Invalid(format!("cannot read {}: {error}", path.display()))),
        }
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).map_err(|_| Error::Engine("the random source failed".into()))?;
        write_new(files, &path, format!("{}\n", BASE64.encode(bytes)).as_bytes())?;
        Self::new(&bytes)
    }

    /// Identifies this key without revealing it.
    pub fn fingerprint(&self) -> Bytes {
        self.fingerprint.clone()
    }

    /// Stores the fingerprint of the key with the data.
    pub fn keep_fingerprint(&self, batch: &mut Batch) {
        batch.put(fingerprint_key(), self.fingerprint());
    }

    /// Encrypts a secret. The stored form is a random nonce, followed by the ciphertext with its tag. It is bound to
    /// `place`, so that one secret cannot be substituted for another.
    pub fn seal(&self, place: &[u8], value: &[u8]) -> Result<Vec<u8>> {
        let failed = |_| Error::Engine("the random source or the cipher failed".into());
        let mut nonce = [0; NONCE_BYTES];
        self.random.fill(&mut nonce).map_err(failed)?;
        let mut sealed = value.to_vec();
        let number = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(number, Aad::from(place), &mut sealed).map_err(failed)?;
        sealed.splice(0..0, nonce);
        Ok(sealed)
    }

    pub fn open(&self, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let failed = || Error::Corrupt("a secret that cannot be decrypted with this key".into());
        let (nonce, text) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or_else(failed)?;
        let mut text = text.to_vec();
        let number = Nonce::assume_unique_for_key(*nonce);
        let len = self.key.open_in_place(number, Aad::from(place), &mut text).map_err(|_| failed())?.len();
        text.truncate(len);
        Ok(text)
    }
}

/// Standard base64, padded on output. Keys without padding or with unused bits set have always been accepted, so they
/// still are.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Decodes either alphabet, padded or not; `None` for anything else.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let standard = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    BASE64.decode(standard).ok()
}

#[cfg(test)]
mod tests {
    use super::SecretsKey;

    #[test]
    fn parse_accepts_either_base64_alphabet_with_and_without_padding() {
        let key = |text: &str| SecretsKey::parse(text).map(|key| key.fingerprint()).ok();
        let standard = key("//++//++//++//++//++//++//++//++//++//++//8=");
        assert!(standard.is_some());
        assert_eq!(key("__--__--__--__--__--__--__--__--__--__--__8"), standard);
        assert_eq!(key("//++//++//++//++//++//++//++//++//++//++//9"), standard, "unused bits do not count");
        assert_eq!(key("//++//++//++//++//++//++//++//++//++//++//"), None);
        assert_eq!(key("//++//++//++//++//++//++//++//++//++//++//8 x"), None);
    }
}
