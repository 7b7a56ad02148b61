//! Deletion of logins at external services together with the objects they belong to.

use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::records::{Revocation, ServiceConnection};
use crate::scan::Scan;
use crate::time::Timestamp;
use crate::tx::Tx;
use uuid::Uuid;

impl Tx {
    /// Deletes a login; returns `None` if it does not exist. If it has tokens, they are queued for revocation, and the
    /// inner value is the id of the [`Revocation`].
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn forget_connection(
        &mut self,
        tenant: TenantId,
        id: &(Uuid, String),
    ) -> Result<Option<Option<Uuid>>> {
        let Some(row) = self.get::<ServiceConnection>(tenant, id)? else { return Ok(None) };
        let name = ServiceConnection::secret(id);
        let tokens = self.get_secret(tenant, &name)?;
        self.delete_secret(tenant, &name)?;
        self.delete::<ServiceConnection>(tenant, id)?;
        let Some(tokens) = tokens else { return Ok(Some(None)) };
        self.put_aside(tenant, id, row.body, &tokens).map(|put| Some(Some(put)))
    }

    /// Queues the tokens of a login with this id for revocation. Returns the id of the [`Revocation`].
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn put_aside(
        &mut self,
        tenant: TenantId,
        id: &(Uuid, String),
        login: ServiceConnection,
        tokens: &[u8],
    ) -> Result<Uuid> {
        let service = login.assistant.is_none().then(|| id.1.clone());
        let ServiceConnection { client_id, authority, .. } = login;
        let due_at = Timestamp::now();
        let body = Revocation { tenant: tenant.0, service, client_id, authority, attempts: 0, due_at };
        let id = new_id();
        self.put_secret(TenantId::SYSTEM, &Revocation::secret(&id), tokens)?;
        self.insert(TenantId::SYSTEM, id, body)?;
        Ok(id)
    }

    /// Deletes all logins of a user in a tenant.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn forget_connections_of(&mut self, tenant: TenantId, user: Uuid) -> Result<()> {
        let own = Scan::table().prefix(user.as_bytes().to_vec());
        for row in self.scan::<ServiceConnection>(tenant, own)?.items {
            self.forget_connection(tenant, &row.id)?;
        }
        Ok(())
    }

    /// Deletes all logins of all users at the tool servers of an assistant, and its keys for these servers.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn forget_connections_with(&mut self, tenant: TenantId, assistant: Uuid) -> Result<()> {
        self.forget_connections_beyond(tenant, assistant, &[])
    }

    /// Deletes all logins at tool servers of an assistant whose addresses are not (or no longer) in `urls`, and its
    /// keys for these servers.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn forget_connections_beyond(
        &mut self,
        tenant: TenantId,
        assistant: Uuid,
        urls: &[String],
    ) -> Result<()> {
        let with = Scan::index("by_assistant").prefix(assistant.as_bytes().to_vec());
        for row in self.scan::<ServiceConnection>(tenant, with)?.items {
            if !row.url.as_ref().is_some_and(|url| urls.contains(url)) {
                self.forget_connection(tenant, &row.id)?;
            }
        }
        self.forget_server_keys_beyond(tenant, assistant, urls)
    }
}
