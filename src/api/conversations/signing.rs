//! Signed upload URLs: their content, and the signature that proves that this server issued them.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use storage::{Store, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::http::{Api, Code};

/// Name of the secret with which URLs are signed.
const SECRET: &str = "upload_addresses";
/// Bytes of a token before its signature: tenant, conversation, upload, expiry, size.
const LENGTH: usize = 16 + 16 + 16 + 8 + 8;

/// The upload that a signed URL permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The tenant of the conversation.
    pub tenant: TenantId,
    pub conversation: Uuid,
    pub upload: Uuid,
    /// When the URL expires.
    pub until: Timestamp,
    /// Exact size of the file, in bytes.
    pub size: u64,
}

/// Signs upload URLs. The key is a secret in the store, created when it is first needed.
pub struct Signer(hmac::Key);

impl Signer {
    /// Loads the signer of this store, and creates its key if there is none.
    pub async fn load(store: &Store) -> Api<Self> {
        Ok(Self::new(&store.run(key).await?))
    }

    /// A signer with this key.
    pub fn new(key: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// Returns the token for the URL.
    pub fn token(&self, allowed: &Allowed) -> String {
        let bytes = allowed.to_bytes();
        let mark = hmac::sign(&self.0, &bytes);
        HEXLOWER.encode(&[&bytes[..], mark.as_ref()].concat())
    }

    /// Decodes and verifies a token. Returns `None` if this server did not sign it.
    pub fn read(&self, token: &str) -> Option<Allowed> {
        let bytes = HEXLOWER_PERMISSIVE.decode(token.as_bytes()).ok()?;
        let (bytes, mark) = bytes.split_at_checked(LENGTH)?;
        hmac::verify(&self.0, bytes, mark).ok()?;
        Allowed::from_bytes(bytes)
    }
}

fn key(tx: &mut Tx) -> Api<Vec<u8>> {
    if let Some(key) = tx.get_secret(TenantId::SYSTEM, SECRET)? {
        return Ok(key);
    }
    let mut key = vec![0; 32];
    SystemRandom::new().fill(&mut key).map_err(|_| Code::Internal)?;
    tx.put_secret(TenantId::SYSTEM, SECRET, &key)?;
    Ok(key)
}

impl Allowed {
    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LENGTH);
        for id in [&self.tenant.0, &self.conversation, &self.upload] {
            bytes.extend_from_slice(id.as_bytes());
        }
        bytes.extend_from_slice(&self.until.as_millis().to_be_bytes());
        bytes.extend_from_slice(&self.size.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let id = |at: usize| Uuid::from_slice(bytes.get(at..at + 16)?).ok();
        let number = |at: usize| bytes.get(at..at + 8)?.try_into().ok();
        Some(Self {
            tenant: TenantId(id(0)?),
            conversation: id(16)?,
            upload: id(32)?,
            until: Timestamp::from_millis(i64::from_be_bytes(number(48)?)),
            size: u64::from_be_bytes(number(56)?),
        })
    }
}
