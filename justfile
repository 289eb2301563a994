# The everyday commands. `just --list` names them.

# Formatting, lints and documentation, as strict as CI.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every test.
test:
    cargo test --workspace

# The benchmarks, each against raw SQLite in the same run.
bench:
    cargo bench --workspace

# One fuzz target for a while: `just fuzz route 60`. Needs cargo-fuzz.
fuzz target seconds="30":
    mkdir -p fuzz/corpus/{{target}}
    RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none {{target}} fuzz/corpus/{{target}} fuzz/seeds/{{target}} -- -max_total_time={{seconds}}

# MCP clients that others wrote, against the real binary.
clients:
    cargo build -p vitrine
    tests/clients/run target/debug/vitrine

# All that CI runs.
ci:
    .ci/run
