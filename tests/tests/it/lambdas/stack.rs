use alfred_testkit::ministack::Ministack;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::binaries::packages;
use crate::cloudformation::create_stack;
use crate::template::{CODE_BUCKET, translated};

/// The translated template with a shorter search delay for replies of unknown outcome, and practically without the
/// sweep: the emulator doesn't fill in a schedule's time, so its messages would be unreadable. Nor does it know alarms of
/// several metrics. Tests that run side by side share the functions, so more of them run at once than in a new account.
fn template() -> &'static Value {
    static TEMPLATE: OnceLock<Value> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let mut template = translated().clone();
        let schedule = "/Resources/Sweep/Properties/ScheduleExpression";
        *template.pointer_mut(schedule).unwrap() = json!("rate(365 days)");
        let resources = template["Resources"].as_object_mut().unwrap();
        resources.remove("SpendAlarm");
        template["Parameters"]["MaximumConcurrency"]["Default"] = json!(20);
        for function in ["Classifier", "UtilityWorker", "TeamManager"] {
            let pointer = format!("/Resources/{function}/Properties/Environment/Variables");
            template.pointer_mut(&pointer).unwrap()["ALFRED_REPLY_SETTLE"] = json!("0.2");
        }
        template
    })
}

pub fn sweep(time: &str) -> String {
    let input = template()["Resources"]["Sweep"]["Properties"]["Target"]["Input"].as_str();
    let input = input.unwrap();
    input.replace("<aws.scheduler.scheduled-time>", time)
}

pub async fn deploy(
    ministack: &Ministack,
    stage: &str,
    parameters: &BTreeMap<&str, &str>,
) -> BTreeMap<String, String> {
    ministack.bucket(CODE_BUCKET);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for (id, package) in packages() {
        let url = format!("{}/{CODE_BUCKET}/{id}.zip", ministack.endpoint());
        let put = http.put(url).body(package.as_slice()).send().await.unwrap();
        assert!(put.status().is_success(), "{id}.zip: {}", put.status());
    }
    let given = parameters.iter().map(|(name, value)| (*name, *value));
    let parameters: Vec<_> = given.chain([("Stage", stage)]).collect();
    create_stack(ministack, stage, template(), &parameters).await
}
