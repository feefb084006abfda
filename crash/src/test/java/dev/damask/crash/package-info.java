/// The real process on the real store, killed from outside, with a witness in another process.
@org.jspecify.annotations.NullMarked
package dev.damask.crash;
