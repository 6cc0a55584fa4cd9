//! Creates stacks on the emulator, over CloudFormation's Query protocol: forms and XML.

use alfred_testkit::ministack::Ministack;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest that creating a stack may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The emulator only reads from a signature which service it is for.
const SIGNATURE: &str =
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/cloudformation/aws4_request";

/// Creates a stack and returns its outputs once it is complete.
pub async fn create_stack(
    ministack: &Ministack,
    name: &str,
    template: &Value,
    parameters: &[(&str, &str)],
) -> BTreeMap<String, String> {
    let mut form = vec![
        ("Action".to_owned(), "CreateStack".to_owned()),
        ("StackName".to_owned(), name.to_owned()),
        ("TemplateBody".to_owned(), template.to_string()),
        (
            "Capabilities.member.1".to_owned(),
            "CAPABILITY_IAM".to_owned(),
        ),
    ];
    for (number, (key, value)) in (1..).zip(parameters) {
        let member = format!("Parameters.member.{number}");
        form.push((format!("{member}.ParameterKey"), (*key).to_owned()));
        form.push((format!("{member}.ParameterValue"), (*value).to_owned()));
    }
    call(ministack, &form).await;
    tokio::time::timeout(LIMIT, completed(ministack, name))
        .await
        .unwrap_or_else(|_| panic!("the stack {name} is not complete after {LIMIT:?}"))
}

async fn completed(ministack: &Ministack, name: &str) -> BTreeMap<String, String> {
    let form = [("Action", "DescribeStacks"), ("StackName", name)];
    let form = form.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut look = tokio::time::interval(Duration::from_millis(50));
    loop {
        look.tick().await;
        let stack = call(ministack, &form).await;
        match texts(&stack, "StackStatus")[..] {
            ["CREATE_IN_PROGRESS"] => {}
            ["CREATE_COMPLETE"] => {
                let keys = texts(&stack, "OutputKey").into_iter().map(str::to_owned);
                let values = texts(&stack, "OutputValue").into_iter().map(str::to_owned);
                return keys.zip(values).collect();
            }
            _ => panic!("the stack {name} can't be created: {stack}"),
        }
    }
}

async fn call(ministack: &Ministack, form: &[(String, String)]) -> String {
    let http = reqwest::Client::builder().no_proxy().timeout(LIMIT);
    let request = http.build().unwrap().post(ministack.endpoint());
    let request = request.header("authorization", SIGNATURE).form(form);
    let answer = request.send().await.unwrap();
    let status = answer.status();
    let body = answer.text().await.unwrap();
    assert!(
        status.is_success(),
        "CloudFormation answers {status}: {body}"
    );
    body
}

/// The texts of the XML elements with this name, in order.
pub fn texts<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let rests = xml.split(&open).skip(1);
    rests
        .map(|rest| rest.split_once(&close).expect("the element ends").0)
        .collect()
}
