//! placeholder
/// Demo.
pub struct DemoModel;
impl DemoModel {
    /// New.
    pub fn new() -> Self {
        Self
    }
}
#[async_trait::async_trait]
impl alfred_core::ports::Model for DemoModel {
    async fn turn(
        &self,
        _: &alfred_core::ports::TurnRequest,
        _: &mut (dyn FnMut(alfred_core::ports::Delta) + Send),
    ) -> Result<alfred_core::ports::Turn, alfred_core::ports::ModelError> {
        Err(alfred_core::ports::ModelError::Refused {
            detail: String::new(),
        })
    }
    fn name(&self) -> String {
        "demo:offline".into()
    }
}
