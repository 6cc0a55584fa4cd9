use async_trait::async_trait;
use std::sync::Arc;

use super::{
    Account, AccountService, Calendar, Connect, ConnectError, Connection, Disconnected, Documents,
    Mail, Provider, Sheets, Unconnected,
};

/// The services for everybody's accounts. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    pub mail: Arc<dyn Mail>,
    pub calendar: Arc<dyn Calendar>,
    pub documents: Arc<dyn Documents>,
    pub sheets: Arc<dyn Sheets>,
    pub connect: Arc<dyn Connect>,
}

impl Accounts {
    pub fn none() -> Self {
        Self {
            mail: Arc::new(Unconnected),
            calendar: Arc::new(Unconnected),
            documents: Arc::new(Unconnected),
            sheets: Arc::new(Unconnected),
            connect: Arc::new(Unconnected),
        }
    }
}

#[async_trait]
impl Connect for Unconnected {
    fn providers(&self) -> &[Provider] {
        &[]
    }

    async fn begin(
        &self,
        _: &Account,
        provider: Provider,
        _: &[AccountService],
    ) -> Result<String, ConnectError> {
        Err(ConnectError::NotSetUp(provider))
    }

    async fn connections(&self, _: &Account) -> Result<Vec<Connection>, ConnectError> {
        Ok(Vec::new())
    }

    async fn disconnect(
        &self,
        _: &Account,
        _: Provider,
    ) -> Result<Option<Disconnected>, ConnectError> {
        Ok(None)
    }
}
