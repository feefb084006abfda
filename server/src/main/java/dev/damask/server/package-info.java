/// The HTTP server: listener, tokens, hosts and origins, files of the page.
package dev.damask.server;
