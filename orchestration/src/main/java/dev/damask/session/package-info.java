/// Sessions: starting, controlling, viewing and querying executions of graphs.
package dev.damask.session;
