/// Workflow documents: reads them into terms and writes terms as documents.
package dev.damask.document;
