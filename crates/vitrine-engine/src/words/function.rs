//! Words that hold an English sentence together and say little about what it is about.

/// In order, to be looked up.
const FUNCTION_WORDS: [&str; 117] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "but", "by", "can", "cannot", "could", "did", "do", "does", "doing", "done", "each",
    "either", "for", "from", "get", "had", "has", "have", "having", "he", "her", "here", "him", "his", "how", "i",
    "if", "in", "into", "is", "it", "its", "just", "me", "more", "most", "my", "no", "nor", "not", "of", "off", "on",
    "only", "or", "other", "our", "out", "over", "own", "please", "s", "same", "shall", "she", "should", "so", "some",
    "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "us", "very", "was", "we", "were", "what", "when", "where", "whether",
    "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "would", "you", "your",
];

pub(super) fn is_function_word(term: &str) -> bool {
    FUNCTION_WORDS.binary_search(&term).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_word_is_found() {
        assert!(FUNCTION_WORDS.is_sorted());
        assert!(is_function_word("the") && is_function_word("your") && !is_function_word("invoice"));
    }
}
