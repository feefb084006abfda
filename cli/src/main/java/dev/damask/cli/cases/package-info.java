/// Commands on the cases of a store.
package dev.damask.cli.cases;
