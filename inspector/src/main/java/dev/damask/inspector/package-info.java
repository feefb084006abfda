/// The files of the inspector's web page.
package dev.damask.inspector;
