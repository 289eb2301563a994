//! The bounds every caller can rely on.

/// Rows of a page when the caller names no limit.
pub const DEFAULT_LIMIT: u32 = 25;
/// Rows of a page at most; a larger limit is clamped to it, with a warning.
pub const MAX_LIMIT: u32 = 100;
/// Groups of an aggregate when the caller names no limit.
pub const DEFAULT_GROUPS: u32 = 100;
/// Characters of a field window when the caller names no limit.
pub const DEFAULT_WINDOW_CHARS: u32 = 4_096;
/// Characters of a field window at most.
pub const MAX_WINDOW_CHARS: u32 = 16_384;
/// Characters before or after a match at most.
pub const MAX_CONTEXT_CHARS: u32 = 8_192;
/// Characters before and after a match when the caller names neither.
pub const DEFAULT_CONTEXT_CHARS: u32 = 512;
/// Characters of a search query, or of a window's `q`, at most.
pub const MAX_QUERY_CHARS: usize = 4_096;
/// Candidate connections an ambiguity error lists at most.
pub const MAX_CANDIDATES: usize = 12;
/// Query parameters of one request at most.
pub const MAX_PARAMETERS: usize = 256;
/// Bytes of one request's path and query at most: room for the longest query, percent-encoded in any script.
pub const MAX_URL_BYTES: usize = 60 * 1024;
