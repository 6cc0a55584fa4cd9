use alfred_core::ports::{AccountError, Call, Intercept};
use std::any::Any;

/// Fails every call with this error.
pub(crate) struct Failing(pub(crate) fn() -> AccountError);

impl Intercept for Failing {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        _: Call<'_>,
        _: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let error: Box<dyn Any> = Box::new((self.0)());
        Err(*error.downcast().unwrap())
    }
}
