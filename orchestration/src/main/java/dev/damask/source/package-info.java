/// The source text of graph and rule documents: reading, diagnostics, limits and hashes.
package dev.damask.source;
