//! Every definition a client sees, checked in.

use crate::fake::Fake;
use crate::host::Host;

#[tokio::test]
async fn every_tool_is_defined_as_checked_in() {
    let host = Host::connect(Fake::person()).await;
    for tool in &host.tools {
        insta::assert_json_snapshot!(tool.name.as_ref(), tool);
    }
}

#[test]
fn the_instructions_are_as_checked_in() {
    insta::assert_snapshot!("instructions", vitrine_mcp::INSTRUCTIONS);
}

/// Hosts that validate strictly want flat objects of plain types.
#[tokio::test]
async fn schemas_are_flat_and_plain() {
    let host = Host::connect(Fake::person()).await;
    for tool in &host.tools {
        let input = serde_json::to_value(&*tool.input_schema).unwrap();
        let output = serde_json::to_value(tool.output_schema.as_deref().unwrap()).unwrap();
        for schema in [&input, &output] {
            assert_eq!(schema["type"], "object");
            for key in ["oneOf", "anyOf", "allOf", "$ref", "$defs"] {
                assert!(schema.get(key).is_none(), "{} has {key}", tool.name);
            }
        }
        assert!(!input.to_string().contains("null"), "{input}");
        assert!(output.get("required").is_none(), "an error must validate too");
    }
}
