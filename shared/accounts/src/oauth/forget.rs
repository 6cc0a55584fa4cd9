use alfred_core::keys;
use alfred_core::ports::{
    Account, Commit, Ids, MAX_WRITES, Query, Range, Store, StoreError, Write,
};

/// Deletes the stored envelopes of an account. Rows of sent mails stay, so no mail is sent twice.
pub(super) async fn forget_mails(
    store: &dyn Store,
    ids: &dyn Ids,
    account: &Account,
) -> Result<(), StoreError> {
    let partition = keys::gmail_mailbox(account).partition;
    let kept = Query::state(partition, Range::Prefix("mail".into()));
    let kept = kept.all(store).await?;
    for some in kept.chunks(MAX_WRITES) {
        let writes = some
            .iter()
            .map(|item| Write::delete(item.key.clone(), None));
        store.commit(&Commit::new(ids, writes.collect())).await?;
    }
    Ok(())
}
