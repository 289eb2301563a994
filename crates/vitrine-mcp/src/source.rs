//! Where a call gets its reader from.

use std::future::Future;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use vitrine_contract::{ApiError, ReadApi};

/// Hands out the reader that answers one call, under the grant of whoever calls.
pub trait ReaderSource: Send + Sync + 'static {
    /// The reader.
    type Reader: ReadApi + 'static;

    /// The reader for this call of `tool`. Over HTTP the caller stands in the request's extensions.
    fn reader(
        &self,
        context: &RequestContext<RoleServer>,
        tool: &'static str,
    ) -> impl Future<Output = Result<Arc<Self::Reader>, ApiError>> + Send;

    /// The id under which this call is answered and logged.
    fn request_id(&self, context: &RequestContext<RoleServer>) -> String;
}

/// One reader for every call, as on stdio, where the process itself stands for one client.
pub struct FixedReader<R, I> {
    reader: Arc<R>,
    request_ids: I,
}

impl<R, I> FixedReader<R, I> {
    /// Answers every call with `reader`, each under a fresh id from `request_ids`.
    pub fn new(reader: R, request_ids: I) -> Self {
        Self { reader: Arc::new(reader), request_ids }
    }
}

impl<R, I> ReaderSource for FixedReader<R, I>
where
    R: ReadApi + 'static,
    I: Fn() -> String + Send + Sync + 'static,
{
    type Reader = R;

    async fn reader(&self, _: &RequestContext<RoleServer>, _: &'static str) -> Result<Arc<R>, ApiError> {
        Ok(Arc::clone(&self.reader))
    }

    fn request_id(&self, _: &RequestContext<RoleServer>) -> String {
        (self.request_ids)()
    }
}
