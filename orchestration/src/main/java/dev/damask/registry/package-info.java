/// The registry of graphs and rules, and the documents that are put into it.
package dev.damask.registry;
