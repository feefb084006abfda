/// The way of a request from any HTTP server to the dispatcher and to the page.
package dev.damask.door;
