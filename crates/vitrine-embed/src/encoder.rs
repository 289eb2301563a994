//! Text in, vector out.

use std::sync::{Arc, OnceLock};

use rten::ThreadPool;

use crate::model::{self, Loaded};
use crate::vector::Vector;
use crate::wordpiece::Vocabulary;

/// The bundled model could not be used. Nothing a text holds leads here; the build is broken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EncodeError {
    /// The model did not load.
    #[error("the bundled model did not load ({0}); build Vitrine again")]
    Load(String),
    /// The model did not run.
    #[error("the bundled model did not run ({0}); build Vitrine again")]
    Run(String),
}

/// The sentence encoder. Equal texts have equal vectors, whatever is encoded with them and by which call; another kind of
/// processor may round differently.
#[derive(Clone, Copy)]
pub struct Encoder {
    model: &'static Loaded,
    vocabulary: &'static Vocabulary,
    /// Passages are encoded in the background, on one core.
    background: &'static Arc<ThreadPool>,
}

impl Encoder {
    /// The model that is part of the binary. The first call loads it; later ones share it.
    pub fn bundled() -> Result<Self, EncodeError> {
        static BACKGROUND: OnceLock<Arc<ThreadPool>> = OnceLock::new();
        let background = BACKGROUND.get_or_init(|| Arc::new(ThreadPool::with_num_threads(1)));
        Ok(Self { model: model::shared()?, vocabulary: Vocabulary::shared(), background })
    }

    /// The vector of what someone asks, as soon as possible: on all cores. What follows the first 126 tokens is ignored.
    pub fn encode_query(&self, text: &str) -> Result<Vector, EncodeError> {
        self.model.run(&self.vocabulary.tokens(text), None)
    }

    /// The vectors of passages, one after the other on one core, so that indexing leaves the others to those who ask.
    pub fn encode(&self, passages: &[&str]) -> Result<Vec<Vector>, EncodeError> {
        passages.iter().map(|text| self.model.run(&self.vocabulary.tokens(text), Some(self.background))).collect()
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoder({})", crate::MODEL_ID)
    }
}
