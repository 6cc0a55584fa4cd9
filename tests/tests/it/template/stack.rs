//! What the template makes with given parameters. A resource's name stands for its id, `Name.Attribute` for an attribute.
use serde_json::{Map, Value, json};

use super::translated;

pub struct Stack(Map<String, Value>);

impl Stack {
    /// With these parameters, and the defaults of the others.
    pub fn with(given: &[(&str, &str)]) -> Self {
        let declared = translated()["Parameters"].as_object().unwrap().iter();
        let declared = declared.map(|(name, one)| (name.clone(), one["Default"].clone()));
        let mut parameters: Map<String, Value> = declared.collect();
        for (name, value) in given {
            assert!(parameters.contains_key(*name), "{name}");
            parameters.insert((*name).into(), json!(value));
        }
        Self(parameters)
    }

    /// The stack where all functions and grants exist.
    pub fn whole() -> Self {
        Self::whole_with(&[])
    }

    pub fn whole_with(given: &[(&str, &str)]) -> Self {
        let all = [("BedrockModels", "arn:model"), ("MailServers", "public")];
        Self::with(&[&all, given].concat())
    }

    /// The resources whose condition holds, without the functions of CloudFormation.
    pub fn resources(&self) -> Vec<(&'static str, Value)> {
        let all = translated()["Resources"].as_object().unwrap().iter();
        let made = all.filter(|(_, one)| {
            let condition = one.get("Condition");
            condition.is_none_or(|condition| self.condition(condition.as_str().unwrap()))
        });
        made.map(|(name, one)| (name.as_str(), self.value(one)))
            .collect()
    }

    pub fn of_type(&self, kind: &str) -> Vec<(&'static str, Value)> {
        let all = self.resources().into_iter();
        all.filter(|(_, one)| one["Type"] == kind)
            .map(|(name, mut one)| (name, one["Properties"].take()))
            .collect()
    }

    pub fn properties(&self, name: &str) -> Value {
        self.value(&translated()["Resources"][name]["Properties"])
    }

    /// Whether a condition of the template holds.
    pub fn condition(&self, name: &str) -> bool {
        self.value(&translated()["Conditions"][name]) == true
    }

    /// The texts of the rules that these parameters break.
    pub fn broken_rules(&self) -> Vec<String> {
        let rules = translated()["Rules"].as_object().unwrap().values();
        let all = rules.flat_map(|rule| rule["Assertions"].as_array().unwrap());
        let broken = all.filter(|one| self.value(&one["Assert"]) == false);
        let texts = broken.map(|one| one["AssertDescription"].as_str().unwrap().into());
        texts.collect()
    }

    fn value(&self, node: &Value) -> Value {
        match node {
            Value::Array(items) => {
                let items = items.iter().map(|item| self.value(item));
                items.filter(|item| !item.is_null()).collect()
            }
            Value::Object(fields) => {
                let call = fields.iter().next().filter(|_| fields.len() == 1);
                call.and_then(|(function, argument)| self.call(function, argument))
                    .unwrap_or_else(|| {
                        let fields = fields.iter();
                        let fields = fields.map(|(name, one)| (name.clone(), self.value(one)));
                        Value::Object(fields.filter(|(_, one)| !one.is_null()).collect())
                    })
            }
            plain => plain.clone(),
        }
    }

    /// `None` if this is no function.
    fn call(&self, function: &str, argument: &Value) -> Option<Value> {
        let arguments = || argument.as_array().unwrap().iter();
        let values = || arguments().map(|one| self.value(one));
        Some(match function {
            "Ref" => self.reference(argument.as_str().unwrap()),
            "Condition" => json!(self.condition(argument.as_str()?)),
            "Fn::GetAtt" => json!(format!("{}.{}", text(&argument[0]), text(&argument[1]))),
            "Fn::Sub" => json!(self.sub(argument)),
            "Fn::Join" => match self.value(&argument[1]) {
                Value::Array(parts) => json!(parts.iter().map(text).collect::<String>()),
                one => one,
            },
            "Fn::If" => {
                let holds = self.condition(argument[0].as_str().unwrap());
                self.value(&argument[if holds { 1 } else { 2 }])
            }
            "Fn::FindInMap" => {
                let path: Vec<Value> = values().collect();
                translated()["Mappings"][text(&path[0])][text(&path[1])][text(&path[2])].clone()
            }
            "Fn::Equals" => json!(text(&values().next()?) == text(&values().nth(1)?)),
            "Fn::Not" => json!(self.value(&argument[0]) == false),
            "Fn::And" => json!(values().all(|one| one == true)),
            "Fn::Or" => json!(values().any(|one| one == true)),
            _ => return None,
        })
    }

    fn reference(&self, name: &str) -> Value {
        match self.0.get(name) {
            Some(value) => value.clone(),
            None if name == "AWS::NoValue" => Value::Null,
            None => json!(name),
        }
    }

    fn sub(&self, argument: &Value) -> String {
        let own = self.value(&argument[1]);
        let pattern = argument.as_str().or(argument[0].as_str()).unwrap();
        let mut parts = pattern.split("${");
        let mut made = parts.next().unwrap().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap();
            let value = own.get(name).cloned();
            made += &text(&value.unwrap_or_else(|| self.reference(name)));
            made += rest;
        }
        made
    }
}

fn text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}
