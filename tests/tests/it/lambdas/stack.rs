//! Deploys the template, with waits short enough for a test.

use alfred_aws::SdkConfig;
use alfred_testkit::ministack::Ministack;
use alfred_testkit::sam;
use aws_sdk_cloudformation::Client;
use aws_sdk_cloudformation::types::{Capability, Parameter, StackStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use crate::lambdas::bootstraps::packages;
use crate::lambdas::world::PATIENCE;

const CODE_BUCKET: &str = "code";
const STACK: &str = "alfred";

/// The template as SAM translates it, but for the wait before a reply in doubt is looked for, and for
/// the sweep: the emulator doesn't fill in a schedule's time, so its messages couldn't be read.
fn template() -> &'static Value {
    static TEMPLATE: OnceLock<Value> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/template.yaml");
        let mut template = sam::translated(&path, CODE_BUCKET);
        let schedule = "/Resources/Sweep/Properties/ScheduleExpression";
        *template.pointer_mut(schedule).unwrap() = json!("rate(365 days)");
        for function in ["Classifier", "UtilityWorker", "TeamManager"] {
            let pointer = format!("/Resources/{function}/Properties/Environment/Variables");
            template.pointer_mut(&pointer).unwrap()["ALFRED_REPLY_SETTLE"] = json!("1");
        }
        template
    })
}

/// The message of the sweep's schedule, as it is sent at this time.
pub fn sweep(time: &str) -> String {
    let input = template()["Resources"]["Sweep"]["Properties"]["Target"]["Input"].as_str();
    input
        .unwrap()
        .replace("<aws.scheduler.scheduled-time>", time)
}

/// Deploys it, and gives its outputs.
pub async fn deploy(
    ministack: &Ministack,
    sdk: &SdkConfig,
    parameters: &[(&str, &str)],
) -> BTreeMap<String, String> {
    ministack.bucket(CODE_BUCKET);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for (id, package) in packages() {
        let url = format!("{}/{CODE_BUCKET}/{id}.zip", ministack.endpoint());
        let put = http.put(url).body(package.as_slice()).send().await.unwrap();
        assert!(put.status().is_success(), "{id}.zip: {}", put.status());
    }
    let client = Client::new(sdk);
    let parameters = parameters.iter().map(|(name, value)| {
        let parameter = Parameter::builder().parameter_key(*name);
        parameter.parameter_value(*value).build()
    });
    let create = client
        .create_stack()
        .stack_name(STACK)
        .template_body(template().to_string())
        .set_parameters(Some(parameters.collect()))
        .capabilities(Capability::CapabilityIam);
    if let Err(error) = create.send().await {
        // The client repeats a call that was answered late. The emulator is this test's
        // alone, so a stack that is there is the one it asked for.
        let ours = error
            .as_service_error()
            .is_some_and(|error| error.is_already_exists_exception());
        assert!(ours, "the template is refused: {error:?}");
    }
    tokio::time::timeout(PATIENCE, created(&client))
        .await
        .expect("the stack is made in time")
}

async fn created(client: &Client) -> BTreeMap<String, String> {
    let mut look = tokio::time::interval(Duration::from_millis(50));
    loop {
        look.tick().await;
        let described = client.describe_stacks().stack_name(STACK).send().await;
        let described = described.expect("the stack is there");
        let stack = &described.stacks()[0];
        match stack.stack_status() {
            Some(StackStatus::CreateInProgress) => {}
            Some(StackStatus::CreateComplete) => {
                let outputs = stack.outputs().iter();
                let pair = |output: &aws_sdk_cloudformation::types::Output| {
                    Some((
                        output.output_key()?.to_owned(),
                        output.output_value()?.to_owned(),
                    ))
                };
                return outputs.filter_map(pair).collect();
            }
            other => panic!("{other:?}: {:?}", stack.stack_status_reason()),
        }
    }
}
