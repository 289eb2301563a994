//! The way of an answer around the library's tree of values.
//!
//! The library takes structured content as a tree, and writes it out. Ours is written already: it had to be, to know that it
//! fits. So over HTTP the library makes the envelope of a result without content, and the two channels are set into it.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::Response;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::{CallToolResponse, CallToolResult, MetaObject};
use vitrine_contract::literal;

use crate::answer::Answer;

/// Where a result has no content. Inside a JSON string the quotes would be escaped, so nothing a client says looks like it.
const NO_CONTENT: &str = r#""content":[]"#;

/// The answer to one request, while the library makes its envelope.
#[derive(Clone, Default)]
pub(crate) struct Envelope(Arc<Mutex<Option<Answer>>>);

impl Envelope {
    /// Keeps an answer's content; the rest is the library's.
    pub(crate) fn keep(&self, mut answer: Answer) -> CallToolResponse {
        let mut result = CallToolResult::success(Vec::new());
        result.is_error = Some(answer.is_error);
        let meta = std::mem::take(&mut answer.meta);
        result.meta = (!meta.is_empty()).then_some(MetaObject(meta));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        result.into()
    }

    /// The response with the content that was kept for it, if any was.
    pub(crate) async fn fill(
        self,
        response: Response<BoxBody<Bytes, Infallible>>,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(answer) = kept else { return response };
        let (parts, body) = response.into_parts();
        let Ok(empty) = body.collect().await;
        let filled = filled(&empty.to_bytes(), &answer);
        Response::from_parts(parts, Full::new(filled).boxed())
    }
}

fn filled(empty: &Bytes, answer: &Answer) -> Bytes {
    let parts = std::str::from_utf8(empty).ok().and_then(|empty| empty.split_once(NO_CONTENT));
    let Some((before, after)) = parts else { return empty.clone() };
    // Quotes in the text are escaped: mostly one character in four or fewer.
    let mut body = String::with_capacity(empty.len() + answer.structured.len() + answer.text.len() / 4 * 5 + 64);
    body += before;
    body += r#""content":[{"type":"text","text":"#;
    literal::push(&mut body, &answer.text);
    body += r#"}],"structuredContent":"#;
    body += &answer.structured;
    body += after;
    body.into()
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcResponse, JsonRpcVersion2_0, NumberOrString, ServerJsonRpcMessage, ServerResult};
    use serde_json::{Value, json};

    use super::*;

    fn message(id: &str, response: CallToolResponse) -> Vec<u8> {
        let CallToolResponse::Complete(result) = response else { panic!("a whole result") };
        let response = JsonRpcResponse {
            jsonrpc: JsonRpcVersion2_0,
            id: NumberOrString::String(id.into()),
            result: ServerResult::CallToolResult(result),
        };
        serde_json::to_vec(&ServerJsonRpcMessage::Response(response)).unwrap()
    }

    #[test]
    fn a_filled_envelope_is_what_the_library_would_have_written() {
        let mut answer =
            Answer::new("\"content\":[] \u{1F600}\n".into(), json!({ "content": [], "日": 1 }).to_string());
        answer.meta.insert("uri".into(), "pdpp://x".into());
        answer.is_error = true;
        // What a client says stands before the result, and cannot be taken for it.
        let id = r#"","content":[],"#;
        let written = message(id, answer.clone().into());
        let envelope = Envelope::default();
        let empty = message(id, envelope.keep(answer));
        let kept = envelope.0.lock().unwrap().take().unwrap();
        let filled = filled(&empty.into(), &kept);
        let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        assert_eq!(read(&filled), read(&written));
        assert_eq!(read(&filled)["id"], id);
    }
}
