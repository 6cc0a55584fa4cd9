//! Connections to several providers.

use alfred_core::ports::{
    Account, AccountService, Connect, ConnectError, Connection, Disconnected, Provider,
};
use async_trait::async_trait;
use std::sync::Arc;

pub struct Several {
    each: Vec<Arc<dyn Connect>>,
    providers: Vec<Provider>,
}

impl Several {
    /// In the order in which they are offered.
    pub fn new(each: Vec<Arc<dyn Connect>>) -> Self {
        let providers = each.iter().flat_map(|one| one.providers()).copied();
        Self {
            providers: providers.collect(),
            each,
        }
    }

    fn of(&self, provider: Provider) -> Result<&dyn Connect, ConnectError> {
        let mut each = self.each.iter();
        let found = each.find(|one| one.providers().contains(&provider));
        found
            .map(|one| &**one)
            .ok_or(ConnectError::NotSetUp(provider))
    }
}

#[async_trait]
impl Connect for Several {
    fn providers(&self) -> &[Provider] {
        &self.providers
    }

    async fn begin(
        &self,
        account: &Account,
        provider: Provider,
        services: &[AccountService],
    ) -> Result<String, ConnectError> {
        self.of(provider)?.begin(account, provider, services).await
    }

    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError> {
        let each = self.each.iter().map(|one| one.connections(account));
        let each = futures_util::future::try_join_all(each).await?;
        let mut all: Vec<Connection> = each.into_iter().flatten().collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.since));
        Ok(all)
    }

    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Disconnected>, ConnectError> {
        self.of(provider)?.disconnect(account, provider).await
    }
}
