/// The inspector in a real browser on a real server.
@org.jspecify.annotations.NullMarked
package dev.damask.browser;
