//! Clients that mean harm.
