//! The store's layout, versioned. Each step brings a store one version forward.

/// Steps from nothing to the present layout, in order.
pub(crate) const STEPS: &[&str] = &[include_str!("layout.sql"), include_str!("layout/oauth.sql")];

/// The present version.
pub(crate) fn version() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}
