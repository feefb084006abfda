/// Test plans: sessions on a virtual clock with stubbed responses.
package dev.damask.plan;
