//! The model's files, part of the binary, and one run of them.

use std::sync::{Arc, OnceLock};

use rten::{Model, ModelOptions, NodeId, OpRegistry, RunOptions, ThreadPool, op_registry};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use crate::encoder::EncodeError;
use crate::vector::{DIMENSIONS, Vector};

const HIDDEN: usize = 384;

static ENCODER: &[u8] = include_bytes!("../model/minilm-l6-v2-int8.onnx");
static PROJECTION: &[u8] = include_bytes!("../model/pca-384-to-256.f32");

pub(crate) struct Loaded {
    model: Model,
    ids: NodeId,
    mask: NodeId,
    embedding: NodeId,
    means: Vec<f32>,
    /// By rows, one for each of the model's dimensions.
    rows: Vec<[f32; DIMENSIONS]>,
}

/// The model, loaded when it is first asked for and kept until the process ends.
pub(crate) fn shared() -> Result<&'static Loaded, EncodeError> {
    static SHARED: OnceLock<Result<Loaded, EncodeError>> = OnceLock::new();
    SHARED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Loaded, EncodeError> {
    let load = |fault: &dyn std::fmt::Display| EncodeError::Load(fault.to_string());
    let mut options = ModelOptions::with_ops(operators());
    let model = options.prepack_weights(true).load_static_slice(ENCODER).map_err(|fault| load(&fault))?;
    let node = |name| model.node_id(name).map_err(|fault| load(&fault));
    let (ids, mask, embedding) = (node("input_ids")?, node("attention_mask")?, node("sentence_embedding")?);
    let mut numbers = PROJECTION.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let means: Vec<f32> = numbers.by_ref().take(HIDDEN).collect();
    let matrix: Vec<f32> = numbers.collect();
    let rows = matrix.as_chunks().0.to_vec();
    if means.len() != HIDDEN || rows.len() != HIDDEN {
        return Err(load(&"the projection has another shape"));
    }
    Ok(Loaded { model, ids, mask, embedding, means, rows })
}

/// What the model is made of: the code of every other operator stays out of the binary.
fn operators() -> OpRegistry {
    op_registry!(
        Add,
        Cast,
        DequantizeLinear,
        Div,
        DynamicQuantizeLinear,
        Erf,
        Gather,
        Identity,
        LayerNormalization,
        MatMul,
        MatMulInteger,
        Mul,
        ReduceSum,
        Reshape,
        Shape,
        Slice,
        Softmax,
        Sub,
        Transpose,
        Unsqueeze
    )
}

impl Loaded {
    /// One text at a time: activations are quantised by their range over the whole input, so that neighbours in a batch,
    /// and the padding they would need, would change a text's vector.
    pub(crate) fn run(&self, tokens: &[u32], threads: Option<&Arc<ThreadPool>>) -> Result<Vector, EncodeError> {
        let run = |fault: &dyn std::fmt::Display| EncodeError::Run(fault.to_string());
        let shape = [1, tokens.len()];
        let ids: Vec<i32> = tokens.iter().map(|token| token.cast_signed()).collect();
        let ids = NdTensor::from_data(shape, ids);
        let mask = NdTensor::full(shape, 1_i32);
        let inputs = vec![(self.ids, ids.into()), (self.mask, mask.into())];
        let mut options = RunOptions::default();
        options.thread_pool = threads.cloned();
        let [output] = self.model.run_n(inputs, [self.embedding], Some(options)).map_err(|fault| run(&fault))?;
        let output = NdTensor::<f32, 2>::try_from(output).map_err(|fault| run(&fault))?;
        if output.shape() != [1, HIDDEN] {
            return Err(run(&"the model's output has another shape"));
        }
        Ok(self.project(output.view()))
    }

    fn project(&self, embedding: NdTensorView<f32, 2>) -> Vector {
        let mut projected = [0.0; DIMENSIONS];
        for ((value, mean), row) in embedding.iter().zip(&self.means).zip(&self.rows) {
            for (sum, weight) in projected.iter_mut().zip(row) {
                *sum += (value - mean) * weight;
            }
        }
        Vector::quantize(&projected)
    }
}
