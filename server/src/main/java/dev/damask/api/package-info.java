/// The HTTP API without its transport: the table of routes, their handlers, redaction and the way
/// of a request to its handler.
package dev.damask.api;
