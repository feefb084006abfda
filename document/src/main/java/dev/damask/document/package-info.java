/// Workflow and scenario documents: text to terms and back.
package dev.damask.document;
