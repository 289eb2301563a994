//! The MCP server: what it declares, and where its calls go.

use std::borrow::Cow;
use std::future::ready;
use std::sync::Arc;

use http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    ErrorData, Implementation, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use vitrine_contract::ApiError;

use crate::answer::Answer;
use crate::envelope::Envelope;
use crate::instructions::INSTRUCTIONS;
use crate::render;
use crate::resources;
use crate::source::ReaderSource;
use crate::tools::{self, Call};

/// The revisions spoken, oldest first.
static REVISIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// How long a client may keep a list: it changes only with the binary.
const LIST_TTL_MS: u64 = 300_000;

/// The adapter as an MCP server. Clones share one source.
pub struct Adapter<S> {
    source: Arc<S>,
}

impl<S: ReaderSource> Adapter<S> {
    /// A server that answers with the readers of `source`.
    pub fn new(source: S) -> Self {
        Self { source: Arc::new(source) }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request_id = self.source.request_id(&context);
        let call = Call::parse(&request.name, request.arguments.unwrap_or_default())
            .ok_or_else(|| ErrorData::invalid_params(tools::unknown(&request.name), None))?;
        let answered = async {
            let call = call?;
            let reader = self.source.reader(&context, call.name()).await?;
            call.answer(&*reader, &request_id).await
        };
        let answer = tokio::select! {
            answered = answered => answered.and_then(Answer::within_bounds),
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("The call was cancelled.", None)),
        };
        let answer = answer.unwrap_or_else(|error| {
            tracing::debug!(tool = %request.name, request_id, code = error.code.as_str(), "refused");
            render::error::answer(error, &request_id)
        });
        let envelope = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Envelope>());
        Ok(match envelope {
            Some(envelope) => envelope.keep(answer),
            None => answer.into(),
        })
    }

    async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let request_id = self.source.request_id(&context);
        let read = async {
            let resource = resources::Resource::parse(&request.uri)?;
            let reader = self.source.reader(&context, resource.tool()).await?;
            resource.read(&*reader, &request.uri, &request_id).await
        };
        let contents = read.await.map_err(|error| resources::error(error, &request.uri, &request_id))?;
        Ok(contents.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }
}

/// The answer to a call that is not even the form of one: the library hands it over as a request unknown to it.
fn misshapen_call(params: Option<&Value>, request_id: &str, is_earlier: bool) -> Result<CustomResult, ErrorData> {
    let name = params.and_then(|params| params.get("name")).and_then(Value::as_str);
    let Some(name) = name else {
        return Err(ErrorData::invalid_params("tools/call needs the `name` of a tool, and `arguments`.", None));
    };
    let Some(usage) = tools::usage(name) else { return Err(ErrorData::invalid_params(tools::unknown(name), None)) };
    let said = format!("`arguments` must be an object. {usage}");
    let answer = render::error::answer(ApiError::invalid("arguments", said), request_id);
    let mut result = json!(CallToolResult::from(answer));
    // The library sees to this in the results that it knows.
    if let (true, Some(members)) = (is_earlier, result.as_object_mut()) {
        members.remove("resultType");
    }
    Ok(CustomResult(result))
}

impl<S> Clone for Adapter<S> {
    fn clone(&self) -> Self {
        Self { source: Arc::clone(&self.source) }
    }
}

impl<S: ReaderSource> ServerHandler for Adapter<S> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("vitrine", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&REVISIONS)
    }

    fn discover(
        &self,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<DiscoverResult, ErrorData>> + Send + '_ {
        let mut discovered = DiscoverResult::from_server_info(REVISIONS.to_vec(), self.get_info());
        discovered.cache_scope = CacheScope::Private;
        discovered.ttl_ms = LIST_TTL_MS;
        ready(Ok(discovered))
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let tools = ListToolsResult::with_all_items(tools::definitions().to_vec());
        ready(Ok(tools.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::definitions().iter().find(|tool| tool.name == name).cloned()
    }

    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send + '_ {
        // The library moves a future from place to place before it runs: here and below, only a pointer.
        Box::pin(self.call(request, context))
    }

    fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + Send + '_ {
        ready(if request.method == CallToolRequestMethod::VALUE {
            let is_earlier = context.protocol_version().is_none_or(|spoken| spoken.has_initialize());
            misshapen_call(request.params.as_ref(), &self.source.request_id(&context), is_earlier)
        } else {
            Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
        })
    }

    fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListPromptsResult, ErrorData>> + Send + '_ {
        ready(Err(ErrorData::method_not_found::<ListPromptsRequestMethod>()))
    }

    fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CompleteResult, ErrorData>> + Send + '_ {
        ready(Err(ErrorData::method_not_found::<CompleteRequestMethod>()))
    }

    fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send + '_ {
        let none = ListResourcesResult::with_all_items(Vec::new());
        ready(Ok(none.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private)))
    }

    fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourceTemplatesResult, ErrorData>> + Send + '_ {
        let templates = ListResourceTemplatesResult::with_all_items(resources::templates());
        ready(Ok(templates.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private)))
    }

    fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send + '_ {
        Box::pin(self.read(request, context))
    }
}
