/// The routes of the API: one class for each area, and how engine data become JSON.
package dev.damask.routes;
