use alfred_loopback::Faults;
use std::ops::Deref;

use crate::error::ApiError;
use crate::state::GoogleLocal;

pub type Fault = alfred_loopback::Fault<ApiError>;

/// Calls are named by the ids of the discovery documents, such as `gmail.users.messages.list`; those of consent
/// are `oauth2.token` and `oauth2.revoke`.
impl Deref for GoogleLocal {
    type Target = Faults<ApiError>;

    fn deref(&self) -> &Self::Target {
        &self.0.faults
    }
}
