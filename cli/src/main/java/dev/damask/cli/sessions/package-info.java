/// Commands on the sessions, graphs and rules of a store.
package dev.damask.cli.sessions;
