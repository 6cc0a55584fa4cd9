use serde_json::json;

use super::stack::Stack;
use super::{CONSUMERS, FUNCTIONS, has};

#[test]
fn functions_are_bootstraps_with_their_own_role_and_logs() {
    let stack = Stack::whole();
    assert_eq!(
        stack.of_type("AWS::Lambda::Function").len(),
        FUNCTIONS.len()
    );
    for name in FUNCTIONS {
        let logs = format!("{name}Logs");
        let function = json!({
            "Runtime": "provided.al2023",
            "Handler": "bootstrap",
            "Architectures": ["arm64"],
            "Role": format!("{name}Role.Arn"),
            "LoggingConfig": {"LogGroup": logs},
        });
        let properties = stack.properties(name);
        has(name, &properties, &function);
        let logs = stack.properties(&logs);
        let group = format!(
            "/aws/lambda/{}",
            properties["FunctionName"].as_str().unwrap()
        );
        has(
            name,
            &logs,
            &json!({"LogGroupName": group, "RetentionInDays": 30}),
        );
    }
}

/// Lambda drops lines below its level: the metrics have none, and the reports of invocations are information.
#[test]
fn the_log_level_hides_neither_metrics_nor_reports() {
    let stack = Stack::with(&[("LogLevel", "ERROR")]);
    for name in FUNCTIONS {
        let kept = json!({
            "LoggingConfig": {"ApplicationLogLevel": "TRACE", "SystemLogLevel": "INFO", "LogFormat": "JSON"},
            "Environment": {"Variables": {"ALFRED_LOG_LEVEL": "ERROR"}},
        });
        has(name, &stack.properties(name), &kept);
    }
}

#[test]
fn whoever_takes_runs_in_knows_what_a_person_may_use() {
    let stack = Stack::with(&[("DailyBudget", "day"), ("ScheduledBudget", "jobs")]);
    for (name, _) in CONSUMERS {
        let budgets = json!({"ALFRED_DAILY_BUDGET": "day", "ALFRED_SCHEDULED_BUDGET": "jobs"});
        let variables = &stack.properties(name)["Environment"]["Variables"];
        has(name, variables, &budgets);
    }
}

#[test]
fn concurrency_is_reserved_only_where_a_parameter_says_so() {
    for name in FUNCTIONS {
        let reserved = |given: &[(&str, &str)]| {
            Stack::with(given).properties(name)["ReservedConcurrentExecutions"].clone()
        };
        assert_eq!(reserved(&[]), json!(null), "{name}");
        let parameter = format!("{name}Concurrency");
        assert_eq!(reserved(&[(&parameter, "7")]), "7", "{name}");
    }
}

/// A new account runs ten functions at once. Two places each are for Slack and for people who connect accounts.
#[test]
fn the_functions_fit_into_a_new_account() {
    let stack = Stack::whole();
    let most = CONSUMERS.map(|(name, _)| {
        let mapping = stack.properties(&format!("{name}Queue"));
        mapping["ScalingConfig"]["MaximumConcurrency"].as_u64()
    });
    assert_eq!(most.map(Option::unwrap).iter().sum::<u64>() + 2 + 2, 10);
}

#[test]
fn a_client_of_a_provider_needs_both_its_id_and_its_secret() {
    for provider in ["Google", "Microsoft"] {
        let [id, secret] = ["ClientId", "ClientSecret"].map(|end| format!("{provider}{end}"));
        for (given, broken) in [
            (&[][..], None),
            (
                &[(&*id, "x")],
                Some(format!("{id} is set, so {secret} is needed too")),
            ),
            (
                &[(&*secret, "x")],
                Some(format!("{secret} is set, so {id} is needed too")),
            ),
            (&[(&*id, "x"), (&*secret, "x")], None),
        ] {
            let stack = Stack::with(given);
            let told = stack.broken_rules().into_iter().next();
            let told = told.map(|text| text.split(" (docs/").next().unwrap().to_owned());
            assert_eq!(told, broken, "{given:?}");
            let made = stack.condition(&format!("Has{provider}"));
            assert_eq!(made, given.len() == 2, "{given:?}");
        }
    }
}
