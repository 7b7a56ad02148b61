//! The logo of a tenant.

use serde_json::json;
use storage::Tx;
use storage::records::Logo;

use super::{decide, tenant};
use crate::{Caller, Result};

/// Sets or removes the logo. Setting the same logo again changes nothing.
///
/// # Errors
/// Returns an error if storage fails.
pub fn set_logo(tx: &mut Tx, caller: &Caller, logo: Option<Logo>) -> Result<()> {
    let mut tenant = tenant(tx, caller)?;
    if tenant.logo != logo {
        let (target, detail) = (format!("tenant {}", caller.tenant), json!({"set": logo.is_some()}));
        tenant.logo = logo;
        decide(tx, caller, tenant, "tenant.logo", target, detail)?;
    }
    Ok(())
}
