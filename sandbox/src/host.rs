//! What a script may ask of its host.

use async_trait::async_trait;
use serde_json::Value;

/// Functions that a script may call. It gets them as the second argument of its own function, and each gives a
/// promise.
#[async_trait]
pub trait Host: Send + Sync {
    /// The functions' names. A dot makes an object: `data.query` is called as `host.data.query(...)`.
    fn names(&self) -> Vec<String>;

    /// Calls one of them with what the script gave it. Several calls may be on their way at once. The future is
    /// dropped when the script ends.
    ///
    /// # Errors
    /// Why it gives nothing; the script's promise is rejected with an `Error` of these words.
    async fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, String>;
}
