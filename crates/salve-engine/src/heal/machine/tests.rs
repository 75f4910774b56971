//! One case for each outcome, gate, breaker and cell of strictness, provider and pin.
