//! A host: an MCP client on an in-process pipe, which holds every result to the rules.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use rmcp::model::{
    CallToolRequestParams, ContentBlock, ReadResourceRequestParams, ReadResourceResult, ResourceContents, Tool,
};
use rmcp::service::{RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value, json};
use tiktoken_rs::CoreBPE;
use vitrine_mcp::{Adapter, FixedReader};

use crate::fake::{Calls, Fake};

static O200K: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());

pub(crate) struct Host {
    pub(crate) client: RunningService<RoleClient, ()>,
    pub(crate) calls: Calls,
    pub(crate) tools: Vec<Tool>,
    outputs: HashMap<String, Validator>,
}

/// What a tool answered, on all its channels.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) text: String,
    pub(crate) structured: Value,
    pub(crate) is_error: bool,
    pub(crate) meta: Map<String, Value>,
}

impl Outcome {
    pub(crate) fn code(&self) -> &str {
        self.structured["error"]["code"].as_str().unwrap_or_default()
    }
}

impl Host {
    pub(crate) async fn connect(fake: Fake) -> Self {
        let calls = fake.calls.clone();
        let (near, far) = tokio::io::duplex(1 << 20);
        let adapter = Adapter::new(FixedReader::new(fake, || "req_test".to_owned()));
        tokio::spawn(async move {
            if let Ok(service) = adapter.serve(far).await {
                let _ = service.waiting().await;
            }
        });
        let client = ().serve(near).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        let output = |tool: &Tool| Value::Object(tool.output_schema.as_deref().unwrap().clone());
        let outputs =
            tools.iter().map(|tool| (tool.name.to_string(), jsonschema::validator_for(&output(tool)).unwrap()));
        let outputs = outputs.collect();
        Self { client, calls, tools, outputs }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let Value::Object(object) = arguments.clone() else { panic!("arguments are an object") };
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(object);
        let result = self.client.call_tool(request).await.unwrap();
        let [ContentBlock::Text(block)] = result.content.as_slice() else { panic!("one text block") };
        let outcome = Outcome {
            text: block.text.clone(),
            structured: result.structured_content.clone().unwrap(),
            is_error: result.is_error == Some(true),
            meta: result.meta.map(|meta| meta.0).unwrap_or_default(),
        };
        self.hold_to_the_rules(tool, &arguments, &outcome);
        outcome
    }

    /// A call that must succeed.
    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> Outcome {
        let outcome = self.call(tool, arguments).await;
        assert!(!outcome.is_error, "{}", outcome.text);
        outcome
    }

    /// A call that must fail with this code, without a read.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value, code: &str) -> Outcome {
        let before = self.calls.count();
        let outcome = self.call(tool, arguments.clone()).await;
        assert_eq!(outcome.code(), code, "{tool} {arguments}: {}", outcome.text);
        assert_eq!(self.calls.count(), before, "{tool} {arguments} made a read");
        outcome
    }

    pub(crate) async fn read(&self, uri: &str) -> Result<ReadResourceResult, ServiceError> {
        self.client.read_resource(ReadResourceRequestParams::new(uri)).await
    }

    fn hold_to_the_rules(&self, tool: &str, arguments: &Value, outcome: &Outcome) {
        let structured = outcome.structured.to_string();
        let (text_chars, structured_chars, tokens) = match tool {
            "schema" if arguments["detail"] == "full" => (10_000, 40_000, usize::MAX),
            "schema" => (40_000, 40_000, usize::MAX),
            "read_record_field" => {
                let asked = arguments["limit_chars"].as_u64().unwrap_or(0).clamp(10_000, 16_384);
                let asked = usize::try_from(asked).unwrap();
                (asked, asked, 8_000)
            }
            _ => (10_000, 10_000, 8_000),
        };
        for (channel, chars) in [(&outcome.text, text_chars), (&structured, structured_chars)] {
            assert!(channel.chars().count() <= chars, "{tool}: {} chars", channel.chars().count());
            if channel.len() > tokens {
                let counted = O200K.encode_ordinary(channel).len();
                assert!(counted <= tokens, "{tool}: {counted} tokens");
            }
            assert!(!channel.contains("pdpp://"), "{tool} shows a URI: {channel}");
        }
        let errors: Vec<String> =
            self.outputs[tool].iter_errors(&outcome.structured).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{tool}: {errors:?}");
        if outcome.is_error {
            assert!(outcome.text.starts_with(outcome.code()), "{}", outcome.text);
            assert!(!outcome.structured["error"]["message"].as_str().unwrap().is_empty());
        }
    }
}

/// The JSON text of a resource's only contents.
pub(crate) fn contents(result: &ReadResourceResult) -> (Value, Map<String, Value>) {
    let [ResourceContents::TextResourceContents { text, meta, .. }] = result.contents.as_slice() else {
        panic!("one text")
    };
    (serde_json::from_str(text).unwrap(), meta.clone().map(|meta| meta.0).unwrap_or_default())
}

/// The first JSON string literal after `label` in a text, as a content-only host finds it.
pub(crate) fn quoted_after(text: &str, label: &str) -> Option<String> {
    let rest = &text[text.find(label)? + label.len()..];
    serde_json::Deserializer::from_str(rest.trim_start()).into_iter::<String>().next()?.ok()
}

/// The first call of `tool` written in a text, as a content-only host finds it.
pub(crate) fn written_call(text: &str, tool: &str) -> Option<Value> {
    let open = format!("{tool}({{");
    let at = text.find(&open)? + open.len() - 1;
    serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()
}

pub(crate) fn args(call: &Value) -> (&str, Value) {
    (call["tool"].as_str().unwrap(), call["args"].clone())
}

pub(crate) fn none() -> Value {
    json!({})
}
