//! Parameters of a request, each at most once.

use std::collections::BTreeMap;

use super::OAuthError;

/// Values longer than this are refused, but for `authorization_details`.
const MAX_VALUE: usize = 4_096;
const MAX_DETAILS: usize = 128 * 1024;

/// What was sent: names and values, none of them twice, but for `resource`.
#[derive(Debug, Clone, Default)]
pub struct Params {
    values: BTreeMap<String, String>,
    resources: Vec<String>,
}

impl Params {
    /// Sorts pairs; empty values count as left out (RFC 6749, 3.1).
    pub fn read<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self, OAuthError>
    where
        K: AsRef<str> + Into<String>,
        V: AsRef<str> + Into<String>,
    {
        let mut params = Self::default();
        for (name, value) in pairs {
            let limit = if name.as_ref() == "authorization_details" { MAX_DETAILS } else { MAX_VALUE };
            if value.as_ref().len() > limit {
                return Err(OAuthError::request(format!("A parameter is longer than {limit} bytes.")));
            }
            if value.as_ref().is_empty() {
                continue;
            }
            if name.as_ref() == "resource" {
                params.resources.push(value.into());
            } else if params.values.insert(name.into(), value.into()).is_some() {
                return Err(OAuthError::request("A parameter is given more than once."));
            }
        }
        Ok(params)
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value of that name, which must be there.
    pub fn need(&self, name: &str) -> Result<&str, OAuthError> {
        self.get(name).ok_or_else(|| OAuthError::request(format!("{name} is missing.")))
    }

    /// The resources that are meant (RFC 8707).
    pub fn resources(&self) -> &[String] {
        &self.resources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_counts_once() {
        assert!(Params::read([("state", "a"), ("state", "a")]).is_err());
        assert!(Params::read([("state", "a"), ("state", "")]).is_ok());
        let params = Params::read([("resource", "a"), ("resource", "b"), ("scope", "")]).unwrap();
        assert_eq!(params.resources(), ["a", "b"]);
        assert_eq!(params.get("scope"), None);
        assert!(Params::read([("state", "x".repeat(MAX_VALUE + 1))]).is_err());
    }
}
