//! Errors on their way out.

use axum::Extension;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::owner::OwnerError;
use vitrine_engine::port::StoreError;

/// A handler's error. The envelope writes its body, since only it knows the request's id.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) Box<ApiError>);

impl Failure {
    /// An error of the server's own, beyond the codes of the read contract.
    pub(crate) fn own(status: StatusCode, code: &str, message: &str) -> Self {
        let mut error = ApiError::new(ErrorCode::Other(code.to_owned()), message);
        error.status = status.as_u16();
        error.into()
    }

    /// The path is right, the method is not.
    pub(crate) fn wrong_method() -> Self {
        let message = "This path does not take that method. The header `Allow` lists those it takes.";
        ApiError::new(ErrorCode::MethodNotAllowed, message).into()
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Extension(self)).into_response()
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(Box::new(error))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<OwnerError> for Failure {
    fn from(error: OwnerError) -> Self {
        let invalid = |message: String| ApiError::new(ErrorCode::InvalidRequest, message);
        match error {
            OwnerError::Declaration(refused) => {
                let mut error = invalid(refused.to_string());
                for (name, value) in
                    [("stream", refused.stream), ("field", refused.field), ("rule", Some(refused.rule))]
                {
                    if let Some(value) = value {
                        error.extra.insert(name.to_owned(), value.into());
                    }
                }
                error.into()
            }
            OwnerError::Grant(refused) => invalid(refused.to_string()).into(),
            OwnerError::Invalid(message) => invalid(message).into(),
            OwnerError::NotFound(message) => ApiError::new(ErrorCode::NotFound, message).into(),
            OwnerError::Store(error) => error.into(),
        }
    }
}
