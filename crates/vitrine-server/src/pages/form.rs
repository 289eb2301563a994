//! Forms sent from our own pages, and from nowhere else.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use vitrine_engine::keeping::Keeper;

use super::fault::PageFault;
use super::visitor::Visitor;
use crate::app::App;
use crate::oauth::pairs;

/// A consent page with thousands of fields still fits.
const FORM_BYTES: usize = 2 * 1024 * 1024;
/// What proves that a form is ours.
pub(super) const TOKEN: &str = "form_token";

/// A form, with the browser that sent it.
pub(crate) struct Posted {
    pub(super) visitor: Visitor,
    pub(super) pairs: Vec<(String, String)>,
}

impl Posted {
    /// The first value of that name, or nothing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.pairs.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

impl<S: Keeper> FromRequest<Arc<App<S>>> for Posted {
    type Rejection = PageFault;

    async fn from_request(request: Request, app: &Arc<App<S>>) -> Result<Self, PageFault> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let site = parts.headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        if site.is_some_and(|site| site != "same-origin") {
            return Err(PageFault::Forged);
        }
        let pairs = pairs(Request::from_parts(parts, body), FORM_BYTES).await.map_err(|refusal| refusal.0)?;
        let posted = Self { visitor, pairs };
        if posted.visitor.is_form_token(posted.get(TOKEN)) { Ok(posted) } else { Err(PageFault::Forged) }
    }
}

/// A form that only the owner may send.
pub(crate) struct OwnerPosted(pub(super) Posted);

impl<S: Keeper> FromRequest<Arc<App<S>>> for OwnerPosted {
    type Rejection = PageFault;

    async fn from_request(request: Request, app: &Arc<App<S>>) -> Result<Self, PageFault> {
        let posted = Posted::from_request(request, app).await?;
        if posted.visitor.is_owner() { Ok(Self(posted)) } else { Err(PageFault::SignIn("/".to_owned())) }
    }
}
