//! Creates stacks on the emulator over CloudFormation's Query protocol (forms and XML).

use alfred_testkit::eventually;
use alfred_testkit::ministack::{Ministack, credential};
use reqwest::RequestBuilder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

pub async fn create_stack(
    ministack: &Ministack,
    name: &str,
    template: &Value,
    parameters: &[(&str, &str)],
) -> BTreeMap<String, String> {
    let http = reqwest::Client::builder().no_proxy().timeout(LIMIT);
    let http = http.build().unwrap();
    // A template in the call itself has 51,200 bytes at most.
    ministack.bucket("templates");
    let place = format!("{}/templates/{name}", ministack.endpoint());
    let put = http.put(&place).header("authorization", credential("s3"));
    let put = put.body(template.to_string()).send().await.unwrap();
    assert!(put.status().is_success(), "{name}: {}", put.status());
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let form = [
        ("Action", "CreateStack"),
        ("StackName", name),
        ("TemplateURL", place.as_str()),
        ("Capabilities.member.1", "CAPABILITY_IAM"),
    ];
    let mut form = form.map(owned).to_vec();
    for (number, (key, value)) in (1..).zip(parameters) {
        let member = format!("Parameters.member.{number}");
        form.push((format!("{member}.ParameterKey"), (*key).to_owned()));
        form.push((format!("{member}.ParameterValue"), (*value).to_owned()));
    }
    let emulator = http.post(ministack.endpoint());
    call(&emulator, &form).await;
    let form = [("Action", "DescribeStacks"), ("StackName", name)].map(owned);
    let complete = format!("the stack {name} to be complete");
    eventually(LIMIT, &complete, async || {
        let stack = call(&emulator, &form).await;
        match texts(&stack, "StackStatus")[..] {
            ["CREATE_IN_PROGRESS"] => None,
            ["CREATE_COMPLETE"] => {
                let keys = texts(&stack, "OutputKey").into_iter().map(str::to_owned);
                let values = texts(&stack, "OutputValue").into_iter().map(str::to_owned);
                Some(keys.zip(values).collect())
            }
            _ => panic!("the stack {name} can't be created: {stack}"),
        }
    })
    .await
}

async fn call(emulator: &RequestBuilder, form: &[(String, String)]) -> String {
    let request = emulator.try_clone().expect("it has no body yet");
    let signature = credential("cloudformation");
    let request = request.header("authorization", signature).form(form);
    let answer = request.send().await.unwrap();
    let status = answer.status();
    let body = answer.text().await.unwrap();
    let done = status.is_success();
    assert!(done, "CloudFormation answers {status}: {body}");
    body
}

pub fn texts<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let rests = xml.split(&open).skip(1);
    let texts = rests.map(|rest| rest.split_once(&close).expect("the element ends").0);
    texts.collect()
}
