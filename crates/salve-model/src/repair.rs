//! A repair, as it is asked for and as it is answered.
//!
//! In: code, its error, the place and the target. Out: a request to a model, the schema of the
//! answer, and the answer as data. Never trusts an answer: it is cleaned, parsed and validated
//! elsewhere, and its confidence is the model's own word. The heal loop will call it as it is.

use crate::model::ModelError;
use crate::request::{ModelRequest, SchemaAsk, Turn};
use crate::tier::Strategy;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is to be mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairRequest {
    /// The code as it is now.
    pub original_code: String,
    /// What the compiler says of it.
    pub compiler_error: String,
    /// The piece of the program it is about.
    pub node: RepairNode,
    /// What it is compiled for.
    pub target: RepairTarget,
}

/// A piece of a program: the item or function around the error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RepairNode {
    /// What it is, like `function_item`.
    pub kind: String,
    /// Its name, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its first line, from 1.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
}

/// What code is compiled for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RepairTarget {
    /// Its id among the toolchains.
    pub id: String,
    /// Its name for people.
    pub display_name: String,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// How its code is written.
    pub conventions: Vec<String>,
}

/// What a model proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepairAnswer {
    /// The whole code, mended.
    pub fixed_code: String,
    /// How sure the model says it is, from 0 to 1.
    pub confidence: f64,
    /// Why.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// A rule that would mend the same fault elsewhere.
    #[serde(default)]
    pub candidate_rule: Option<CandidateRule>,
}

/// A rule as a model proposes it; it becomes one only after its repair passed the check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateRule {
    /// What it is for, as the model says; what was really mended counts.
    pub target_id: String,
    /// What is looked for.
    pub pattern: String,
    /// What is put there.
    pub template: String,
    /// Which of several rules comes first; the highest one.
    pub priority: i32,
}

/// A repair that ended because no provider answered. Both messages are kept: what the provider said,
/// and what was to be mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderError {
    /// What the provider said, after all attempts.
    pub message: String,
    /// What was to be mended.
    pub compiler_error: String,
}

/// The name the schema is sent under.
const SCHEMA_NAME: &str = "repair_answer";

impl RepairRequest {
    /// Makes the request to a model.
    pub fn ask(&self, model: &str, strategy: Strategy, max_output_tokens: u32) -> ModelRequest {
        let system = format!(
            "You mend code that does not compile. {} Answer with one JSON object that fits the \
             schema and nothing else: `fixed_code` is the whole code again, not a part of it; \
             `confidence` is a number from 0 to 1; `reasoning` says in a sentence what was wrong; \
             `candidate_rule` is null unless the same fault would be mended the same way anywhere.",
            strategy.instructions()
        );
        // Strings cannot fail to become JSON.
        let fields = serde_json::to_string_pretty(self).unwrap_or_default();
        ModelRequest {
            model: model.to_owned(),
            system: Some(system),
            turns: vec![Turn::user(fields)],
            schema: Some(RepairAnswer::schema_ask()),
            max_output_tokens,
            ..ModelRequest::default()
        }
    }

    /// Returns the end of a repair that no provider answered.
    pub fn provider_error(&self, error: &ModelError) -> ProviderError {
        let compiler_error = self.compiler_error.clone();
        ProviderError { message: error.to_string(), compiler_error }
    }
}

impl RepairAnswer {
    /// Returns the JSON Schema of an answer. Providers that enforce a schema want every field named
    /// as required, so what may be missing is null there; an answer without it is as good.
    pub fn schema() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["fixed_code", "confidence", "reasoning", "candidate_rule"],
            "properties": {
                "fixed_code": { "type": "string" },
                "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
                "reasoning": { "type": ["string", "null"] },
                "candidate_rule": {
                    "anyOf": [
                        { "type": "null" },
                        {
                            "type": "object",
                            "additionalProperties": false,
                            "required": ["target_id", "pattern", "template", "priority"],
                            "properties": {
                                "target_id": { "type": "string" },
                                "pattern": { "type": "string" },
                                "template": { "type": "string" },
                                "priority": { "type": "integer" }
                            }
                        }
                    ]
                }
            }
        })
    }

    /// Returns the schema that an answer is held to when it came: what may be missing is optional.
    pub fn accepted_schema() -> Value {
        let mut schema = Self::schema();
        if let Some(object) = schema.as_object_mut() {
            object.insert("required".to_owned(), json!(["fixed_code", "confidence"]));
        }
        schema
    }

    /// Returns the schema as it is asked for.
    pub fn schema_ask() -> SchemaAsk {
        SchemaAsk { name: SCHEMA_NAME.to_owned(), strict: true, schema: Self::schema() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::retry::{RetryPolicy, Retrying};
    use crate::testing::{Scripted, refused, text};
    use std::time::Duration;

    fn request() -> RepairRequest {
        RepairRequest {
            original_code: "fn f() -> u8 { \"\" }".to_owned(),
            compiler_error: "E0308: mismatched types".to_owned(),
            node: RepairNode {
                kind: "function_item".to_owned(),
                name: Some("f".to_owned()),
                start_line: 1,
                end_line: 1,
            },
            target: RepairTarget { id: "rust".to_owned(), ..RepairTarget::default() },
        }
    }

    #[tokio::test]
    async fn r30_the_model_receives_the_four_fields() {
        let model = Scripted::new(vec![Ok(text("{}"))]);
        let asked = request().ask("grok-4", Strategy::Simple, 5_000);
        model.call(&asked, &mut ()).await.unwrap();
        let seen: Value = serde_json::from_str(&model.seen()[0].turns[0].text).unwrap();
        let fields: Vec<&String> = seen.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["original_code", "compiler_error", "node", "target"]);
        assert_eq!(seen["node"]["name"], "f");
        assert_eq!(serde_json::from_value::<RepairRequest>(seen).unwrap(), request());
    }

    #[test]
    fn r31_optional_fields_may_be_missing() {
        let read = |text: &str| serde_json::from_str::<RepairAnswer>(text);
        let least = read(r#"{"fixed_code": "x", "confidence": 0.5}"#).unwrap();
        assert_eq!((least.reasoning, least.candidate_rule), (None, None));
        let nulls = r#"{"fixed_code":"x","confidence":1,"reasoning":null,"candidate_rule":null}"#;
        assert!(read(nulls).is_ok());
        let rule = r#"{"fixed_code":"x","confidence":1,"reasoning":"r",
            "candidate_rule":{"target_id":"js","pattern":"p","template":"t","priority":5}}"#;
        assert_eq!(read(rule).unwrap().candidate_rule.unwrap().template, "t");
        for wrong in [r#"{"confidence": 0.5}"#, r#"{"fixed_code": "x"}"#, "[]", "null"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let required = &RepairAnswer::accepted_schema()["required"];
        assert_eq!(*required, json!(["fixed_code", "confidence"]));
        let all = RepairAnswer::schema();
        assert_eq!(all["required"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn h30_the_prompt_of_a_repair_carries_its_strategy() {
        let prompts = Strategy::ALL.map(|strategy| {
            let system = request().ask("m", strategy, 1).system.unwrap();
            assert!(system.contains(strategy.name()), "{system}");
            system
        });
        assert!(prompts[0] != prompts[1] && prompts[1] != prompts[2]);
    }

    #[tokio::test]
    async fn r16_a_500_is_tried_again_within_bounds_and_both_messages_are_kept() {
        let script = (0..9).map(|_| Err(refused(500))).collect();
        let moment = Duration::from_millis(1);
        let policy =
            RetryPolicy { attempts: 3, base: moment, cap: moment, retry_after_cap: moment };
        let scripted = std::sync::Arc::new(Scripted::new(script));
        let model = Retrying::new(std::sync::Arc::clone(&scripted), policy);
        let asked = request().ask("m", Strategy::Simple, 1);
        let error = model.call(&asked, &mut ()).await.unwrap_err();
        assert_eq!(scripted.calls(), 3);
        let ended = request().provider_error(&error);
        insta::assert_snapshot!(ended.message, @"the provider answered 500: status 500 (after 3 attempts)");
        assert_eq!(ended.compiler_error, "E0308: mismatched types");
    }
}
