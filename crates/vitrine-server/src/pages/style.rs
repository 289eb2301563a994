//! The one stylesheet.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

/// Where it is. The number changes with it, because browsers keep it.
pub(crate) const PATH: &str = "/assets/style-2.css";

pub(crate) async fn sheet() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/css; charset=utf-8"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, include_str!("style.css")).into_response()
}
