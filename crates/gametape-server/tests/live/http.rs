//! Live matches over HTTP: lists, segments, figures, casters.
