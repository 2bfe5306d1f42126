//! Nobody gets what is not meant for it.
