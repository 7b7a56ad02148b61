//! The functions that a script may call in its host.

use async_trait::async_trait;
use serde_json::Value;

/// Functions that a script may call. It receives them as the second argument of its own function, and each returns a
/// promise.
#[async_trait]
pub trait Host: Send + Sync {
    /// The names of the functions. A dot creates an object: `data.query` is called as `host.data.query(...)`.
    fn names(&self) -> Vec<String>;

    /// Calls a function with the arguments of the script. Several calls may be in progress at once. The future is
    /// dropped when the script ends.
    ///
    /// # Errors
    /// The reason for the failure; the script's promise is rejected with an `Error` that has this message.
    async fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, String>;
}
